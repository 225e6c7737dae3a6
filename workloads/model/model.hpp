// A Model is a network layer by layer: shapes, parameters, work and activation bytes per sample, repeats as data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/precision.hpp"
#include "core/profile/provenance.hpp"
#include "core/text/words.hpp"
#include "core/units.hpp"
#include "workloads/model/padding.hpp"

namespace mlsim::workloads {

/// A NetworkSort is a sort of networks whose kernels run at like speeds, finer than ModelFamily: what is convolutional
/// on boxes or sound runs at other speeds than on images, and with attention between (diffusion); what a network on a
/// graph does is estimated, and its speed says nothing of others. Language models are decoders with causal attention:
/// dense ones, mixtures of experts, and adapters on frozen weights.
enum class NetworkSort : std::uint8_t {
  image,
  depthwise,  // image networks that convolve each channel by itself
  detection,
  speech,
  transformer,
  recurrent,
  recommender,
  diffusion,
  graph,
  game,
  language_model,
  language_mixture,
  language_adapters,
};

inline Words<NetworkSort> words(NetworkSort) {
  return {"sort",
          {"image", "depthwise", "detection", "speech", "transformer", "recurrent", "recommender", "diffusion", "graph",
           "game", "language-model", "language-mixture", "language-adapters"}};
}

inline bool is_language_model(NetworkSort sort) { return sort >= NetworkSort::language_model; }

/// A ModelFamily is models that are trained alike: the same usual optimizers, batches and terms of a software stack.
enum class ModelFamily : std::uint8_t { convolutional, transformer, translation, recurrent, recommender, linear };

inline Words<ModelFamily> words(ModelFamily) {
  return {"family", {"convolutional", "transformer", "translation", "recurrent", "recommender", "linear"}};
}

/// Each kind is an entry of the operator table (workloads/model/operator.hpp) and its name in model files.
enum class LayerKind {
  // matrix products
  convolution,
  transposed_convolution,
  dense,
  expert_dense,
  lstm,
  attention,
  self_attention,
  additive_attention,
  state_space,
  dot_interaction,
  // look-ups
  embedding,
  embedding_bag,
  roi_align,
  // normalisations
  batch_normalization,
  layer_normalization,
  rms_normalization,
  head_normalization,
  // pointwise
  relu,
  squared_relu,
  gelu,
  swiglu,
  geglu,
  tanh,
  sigmoid,
  dropout,
  add,
  multiply,
  rotary,
  latent_rotary,
  // pooling and views
  max_pool,
  average_pool,
  flatten,
  reshape,
  concat,
  select,
  upsample,
  expert_dispatch,
  expert_combine,
  // losses
  softmax_loss,
  cross_entropy,
  sigmoid_loss,
  regression_loss,
  // the host
  host_work,
};

/// A Shape is one sample's tensor: channels x height x width. An image is C x H x W; a sequence of L vectors of width F
/// is F x L x 1; a vector is F x 1 x 1; L token ids are 1 x L x 1. A position is one of height x width.
struct Shape {
  int channels = 0, height = 0, width = 0;
  std::int64_t positions() const { return std::int64_t{height} * width; }
  std::int64_t elements() const { return channels * positions(); }
  bool operator==(const Shape&) const = default;
};

/// An Extent is the height x width of a window, a step or a border.
struct Extent {
  int height = 1, width = 1;
  bool operator==(const Extent&) const = default;
};

/// A Layer stands in execution order, repeats unrolled. Fields below `output` have a meaning for some kinds only.
struct Layer {
  LayerKind kind = LayerKind::convolution;
  std::string name;           // "stage1.block0.conv2"
  std::vector<int> inputs;    // indices of earlier layers; -1 - k is the model's input k
  Shape input, output;        // `input` is the shape of the first input
  std::vector<Shape> others;  // shapes of the further inputs
  bool trainable = true;      // frozen parameters have no gradient and no update
  int shares = -1;            // index of the earlier layer whose parameters these are, or -1
  bool owns_bias = false;     // shares only the weights (an output layer tied to an embedding)
  bool bias = false;          // expert_combine: rows get the biases of their experts here
  bool in_fp32 = false;       // dense: whatever the step's format
  Extent kernel, stride, padding{0, 0};
  int groups = 1;                     // convolution: input channels are split into so many groups
  int heads = 1;                      // attention: of queries; state_space: of states
  int kv_heads = 1;                   // self_attention: of keys and values; state_space: groups that share B and C
  int head_size = 0, value_size = 0;  // self_attention: channels of a query and key, and of a value
  int state = 0, chunk = 1;           // state_space: numbers of a channel's state, and tokens that meet at once
  int window = 0;                     // self_attention: keys that a query sees at most; 0: all
  bool causal = false;                // attention: no query sees the keys behind it
  int contexts = 1;                   // self_attention: its keys are those of so many ranks with as many tokens each
  bool dropout = false;               // self_attention: of the softmax
  bool sinks = false;                 // self_attention: each head has a learned number in its softmax
  bool own_scales = false;            // head_normalization: each head has scales of its own
  bool flash = false;                 // attention: fused kernels (AttentionKernels)
  int directions = 1, biases = 1;     // lstm: 2 directions run both ways and concatenate; bias vectors per direction
  int experts = 1, chosen = 1;        // expert_dense: each position goes through `chosen` of them
  std::vector<std::int64_t> rows;     // embedding: of each table
  std::vector<std::int64_t> pooled;   // embedding_bag: rows of each table that make its vector; empty where it is one
  bool sparse = false;                // embedding: the gradient holds only the rows that were read
  bool scale = true, shift = true;    // normalisations: which vectors are learned
  Seconds host_time;                  // host_work: per sample
  Seconds batch_time;      // host_work: of all samples at once, in a program of the accelerator's; 0: unknown
  int branches = 1;        // host_work: parts of batch_time that do not wait for one another
  int halo = 0;            // rows of its input that other ranks made, who make their gradient (spatial partitioning)
  int halo_columns = 0;    // likewise columns
  bool eager = false;      // outside of what a compiler gets: it is a kernel of its own, whatever fusion there is
  bool exchanged = false;  // its output crosses the network before anything reads it, so nothing merges into it

  std::vector<std::int64_t> parameter_tensors() const;  // elements of each tensor it owns, trainable or not
  std::int64_t parameters() const;                      // owned
  std::int64_t macs() const;                            // forward multiply-accumulates per sample
  std::int64_t look_ups() const;                        // embeddings: rows that a sample reads
  bool scores_heads() const;                            // attention of a kind that fused kernels know
  bool mixes_by_head() const;                           // scores_heads(), or a state space
  bool operator==(const Layer&) const = default;
};

struct Dataset {
  std::string name;
  std::int64_t train_samples = 0, validation_samples = 0;
};

/// A software class says how a language model's step is programmed: `tuned` has layers written as fused kernels
/// (Megatron-LM, NeMo, Transformer Engine), `compiled` has a compiler fuse the program (torch.compile, JAX, MaxText),
/// `eager` runs the framework's operators one by one (plain PyTorch, DeepSpeed, Hugging Face).
enum class SoftwareClass { tuned, compiled, eager };
inline Words<SoftwareClass> words(SoftwareClass) { return {"software class", {"tuned", "compiled", "eager"}}; }

/// AttentionKernels says with which kernels attention layers run: unfused is two products with the softmax between,
/// whose scores go through device memory. flash is FlashAttention, one kernel forward and one backward that keep scores
/// on chip (Dao et al., arXiv:2205.14135); flash-1 is the first of them, or Triton's, as frameworks had it into 2023.
enum class AttentionKernels { unfused, flash, flash_1 };
inline Words<AttentionKernels> words(AttentionKernels) { return {"attention", {"unfused", "flash", "flash-1"}}; }

struct PublishedSoftware {
  std::optional<SoftwareClass> software;        // empty: the usual one
  std::optional<AttentionKernels> attention;    // likewise
  std::map<std::string, std::string> settings;  // others of --set, by key
};

/// A PublishedTraining is how most published runs of a language model were made.
struct PublishedTraining {
  std::map<std::string, Precision> formats;  // by kind, AcceleratorSpec::chip; of others nothing is known
  std::vector<std::string> but;              // accelerators of these kinds with which it was not so
  PublishedSoftware software;
  std::map<std::string, PublishedSoftware>
      software_on;  // by accelerator or kind of chip, where runs had other software
};

struct ModelInput {
  std::string name;  // "tokens"; "input" where the file names none
  Shape shape;
};

struct Model {
  std::string name;       // "resnet50", "bert-large:sequence=128"
  std::string title;      // "ResNet-50 v1.5, ImageNet 224x224"
  std::string benchmark;  // key of the convergence tables, "resnet"
  std::string target;     // "75.9 % top-1"
  std::string sample;     // what one sample is: "image", "sequence of 512 tokens"
  ModelFamily family = ModelFamily::convolutional;
  NetworkSort sort = NetworkSort::image;
  std::map<std::string, std::int64_t> parameters_of_file;  // "sequence" -> 512, after overrides
  std::map<std::string, std::int64_t> changed;  // "layers" -> 24: what the benchmark's network has and this one not
  std::vector<ModelInput> inputs;
  std::int64_t tokens = 0;  // of a sample, where a language model learns to predict each from those before it; 0: none
  Dataset dataset;
  std::vector<Layer> layers;
  Source source;
  Sourced<double> sample_spread;   // standard deviation of the work of a sample over its mean; 0 where all are alike
  PublishedTraining training;      // of a language model
  std::optional<Padding> padding;  // of its data; empty where none is known, or where the name gives the length itself

  std::int64_t parameters() const;            // all, shared ones once
  std::int64_t trainable_parameters() const;  // without frozen layers
  int gradient_tensors() const;               // trainable tensors
  std::int64_t macs() const;                  // forward, per sample
};

/// `name` is a catalogue name, one of its aliases or the path of a YAML file; overrides of the file's parameters may
/// follow a colon: "bert-large:sequence=128,predictions=20". Throws InputError with file, line and the nearest word.
Model load_model(const std::string& name);

/// The sort of a workload, from the head of its file alone. Throws InputError as load_model does.
NetworkSort network_sort(const std::string& name);
std::vector<std::string> model_names();
/// Says whether the word in front of a colon is a name or alias of the catalogue, as load_model understands it.
bool names_model(const std::string& name);

/// Names of model files in these folders then work like those of the catalogue. Call this once, before the first model
/// is loaded. Of two files of a name the one of the earlier folder counts.
void use_own_models(const std::vector<std::string>& folders);

/// Returns the network that a workload's name speaks of, whatever its version and its parameters: both "resnet50-v1"
/// and "resnet50" are resnet50, "bert-large:sequence=256" is bert-large: versions of one network,
/// whose kernels differ in shape but not in kind. A version is "-v" and a number at the end of the name. The result is
/// a part of `workload`.
std::string_view network_name(std::string_view workload);

/// Says whether a layer is attention or self_attention; additive_attention has no fused kernels.
bool has_attention(const Model& model);
/// Says whether the model is a language model: a transformer whose positions all see those before them only.
bool is_decoder(const Model& model);
/// Says whether the model is trained as language models are (sharded optimizer, wide buckets, a split that is searched):
/// by its sort, or as a decoder whose file names none.
bool trains_as_language_model(const Model& model);
void set_attention(Model& model, AttentionKernels kernels);

/// repetition[i]: the number of layer i's innermost repetition ("encoder.block3." of "encoder.block3.attention.query"),
/// counted from 0 in order of appearance, or -1 outside of repeated blocks.
std::vector<int> repetition_of_layer(const Model& model);
/// Returns the same with the repetitions from number `count` on as -1; all are left where `count` is 0.
std::vector<int> first_repetitions(const Model& model, int count);
/// Counts the repetitions of all blocks.
int repetitions_of(const Model& model);

/// Says whether a layer of this name stands in a repetition of a block.
bool is_repeated(std::string_view layer_name);

}  // namespace mlsim::workloads
