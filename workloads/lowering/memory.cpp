#include "workloads/lowering/memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "workloads/lowering/gradient_bucket.hpp"
#include "workloads/lowering/kernel_group.hpp"
#include "workloads/lowering/parameter_gather.hpp"
#include "workloads/model/model.hpp"
#include "workloads/model/operator.hpp"

namespace mlsim::workloads {
namespace {

KeptTensors& operator+=(KeptTensors& sum, const KeptTensors& more) {
  sum.elements += more.elements;
  sum.masks += more.masks;
  sum.wide += more.wide;
  sum.operands += more.operands;
  return sum;
}

// Says whether the layer's output is its inputs seen otherwise, not a copy.
bool is_view(const Layer& layer, bool fusion) {
  switch (layer.kind) {
    case LayerKind::flatten:
    case LayerKind::reshape: return true;
    case LayerKind::concat:
    case LayerKind::upsample: return fusion && !layer.eager;
    default: return false;
  }
}

// Tensors stand by producer: the model's inputs first, then the layers' outputs.
class Tensors {
 public:
  explicit Tensors(const Model& model)
      : model_(model), kept_(model.inputs.size() + model.layers.size()), whole_(kept_.size()) {}

  void keep(int layer, bool as_operand = false) {
    kept_[place(layer)] = true;
    if (!as_operand) whole_[place(layer)] = true;
  }
  void drop(int layer) { kept_[place(layer)] = false; }
  bool is_operand(int layer) const { return !whole_[place(layer)]; }
  bool is_kept(int layer) const { return kept_[place(layer)]; }
  double elements(int layer) const {
    const auto at = place(layer);
    if (layer < 0) return double(model_.inputs[at].shape.elements());
    return double(model_.layers[layer].output.elements());
  }
  int first() const { return -static_cast<int>(model_.inputs.size()); }
  int end() const { return static_cast<int>(model_.layers.size()); }

 private:
  int place(int layer) const { return layer < 0 ? -1 - layer : layer - first(); }

  const Model& model_;
  std::vector<bool> kept_, whole_;  // whole: not for matrix products alone
};

struct MarkedTensors {
  Tensors tensors;
  std::vector<KeptTensors> extra;  // by layer
};

MarkedTensors mark(const ShardedModel& sharded, bool fusion) {
  const Model& model = sharded.model;
  const auto in_backward = layers_in_backward(model, sharded.inputs_trained);
  MarkedTensors marked{Tensors(model), std::vector<KeptTensors>(model.layers.size())};
  for (int i = marked.tensors.end() - 1; i >= 0; --i) {
    const Layer& layer = model.layers[i];
    if (in_backward[i]) {
      const Kept kept =
          operator_of(layer.kind).kept(layer, fusion && !layer.eager ? FusionRole::leads : FusionRole::separate);
      if (kept.output) marked.tensors.keep(i);
      if (kept.inputs) {
        const bool operand = layer.kind == LayerKind::dense || layer.kind == LayerKind::expert_dense;
        for (const int input : layer.inputs) marked.tensors.keep(input, operand);
      }
      marked.extra[i] = {kept.extra, kept.masks, kept.wide};
    }
    if (marked.tensors.is_kept(i) && is_view(layer, fusion)) {
      marked.tensors.drop(i);
      for (const int input : layer.inputs) marked.tensors.keep(input, marked.tensors.is_operand(i));
    }
  }
  return marked;
}

const KeptTensors& larger(const KeptTensors& a, const KeptTensors& b) {
  return a.bytes(Precision::fp32) < b.bytes(Precision::fp32) ? b : a;
}

// repetition[i]: the repetition with which layer i runs again, or -1.
std::vector<int> repetitions(const Model& model, const RunAgain& again) {
  if (again.what == RunAgain::What::blocks) return first_repetitions(model, again.blocks);
  return std::vector<int>(model.layers.size(), again.what == RunAgain::What::everything ? 0 : -1);
}

// Collects what the modules of a block drop, and finds the block that drops the most.
class DroppedTensors {
 public:
  DroppedTensors(const Model& model, const RunAgain& again)
      : again_(again.what == RunAgain::What::modules ? layers_again(model, again.modules, again.blocks)
                                                     : std::vector<LayerAgain>(model.layers.size())),
        block_(repetition_of_layer(model)) {}

  bool drops(int layer) const { return again_[layer].runs; }
  bool drops_output(int layer) const { return again_[layer].drops_output; }
  void add(int layer, const KeptTensors& tensors) { of_block_[block_[layer]] += tensors; }

  KeptTensors most() const {
    KeptTensors most;
    for (const auto& [block, tensors] : of_block_) most = larger(most, tensors);
    return most;
  }

 private:
  std::vector<LayerAgain> again_;
  std::vector<int> block_;
  std::map<int, KeptTensors> of_block_;
};

// read[k]: a layer that runs again reads input k of the model.
std::vector<bool> inputs_read_again(const Model& model, const std::vector<int>& repetition) {
  std::vector<bool> read(model.inputs.size());
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for (const int input : model.layers[i].inputs) {
      if (input < 0 && repetition[i] >= 0) read[-1 - input] = true;
    }
  }
  return read;
}

// handed[i]: a layer outside of layer i's repetition reads its output.
std::vector<bool> handed_on(const Model& model, const std::vector<int>& repetition) {
  std::vector<bool> handed(model.layers.size());
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for (const int input : model.layers[i].inputs) {
      if (input >= 0 && repetition[i] != repetition[input]) handed[input] = true;
    }
  }
  return handed;
}

// A driver context with its kernel libraries loaded takes 0.3 to 0.6 GB (assumed).
constexpr Bytes kRuntime(0.5e9);
// Caching allocators lose 2 to 10 % to fragmentation, and convolutions want scratch on top (assumed). The upper end
// would refuse batches that MLPerf submissions ran.
constexpr double kScratch = 0.06;

struct Parameters {
  double frozen = 0, dense = 0, sparse = 0;  // dense and sparse ones are trained
  double updated = 0;                        // dense ones of which this rank keeps the optimizer state
  double frozen_part = 0;                    // frozen ones of which this rank keeps its part
};

Parameters count_parameters(const ShardedModel& sharded, const StepPlan& plan,
                            const std::vector<SparseGradient>& gradients) {
  const Model& model = sharded.model;
  Parameters count;
  std::vector<bool> sparse(model.layers.size());
  for (const auto& gradient : gradients) sparse[gradient.layer] = true;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    const auto parameters = double(layer.parameters());
    if (!layer.trainable) {
      count.frozen += parameters;
      count.frozen_part += parameters / plan.shard_ranks(sharded.gradient_axes[i]);
      continue;
    }
    (sparse[i] ? count.sparse : count.dense) += parameters;
    if (!sparse[i]) count.updated += parameters / plan.shard_ranks(sharded.gradient_axes[i]);
  }
  return count;
}

// Copying fills buckets (the default of PyTorch's DistributedDataParallel, gradient_as_bucket_view=False). Gradients
// that leave with each micro-batch are whole from when a bucket's first is made until it is summed up, one bucket
// behind the other.
Bytes gradient_buffers(const ShardedModel& sharded, const StepPlan& plan, const Parameters& parameters) {
  if (plan.parallelism.used(kGradientAxes).empty()) return Bytes(0);
  if (plan.reduces_each_micro_batch()) {
    Bytes most;
    for (const GradientBucket& bucket : gradient_buckets(sharded, plan)) most = max(most, bucket.bytes);
    return 2 * most;
  }
  return plan.gradients_in_place ? Bytes(0) : plan.gradient_element * parameters.dense;
}

// Returns what trained parameters and their gradients take. Where sharded state gathers weights in 16 bits, a rank has
// only its own part of the fp32 ones; sharded parameters are whole for the blocks that run (parameter_gather.hpp), and
// so are their gradients until they are summed up.
void add_state(const ShardedModel& sharded, const StepPlan& plan, const Parameters& parameters, MemoryUse& use) {
  const Bytes element = element_size(plan.precision), gathered = plan.gathered_weight();
  const Bytes everywhere = element < Bytes(4) ? Bytes(4) + element : Bytes(4);
  // Frozen weights are only read: in the format of products (NVIDIA NeMo, fp8_params).
  const Bytes read_only = operand_size(plan.precision);
  // Without fusion the gradients' casts to fp32 are kept together with 16-bit gradients (google-research/bert,
  // optimization.py, clips all of them by their common norm, so all are there at once).
  const Bytes cast = !plan.fusion && element < Bytes(4) ? Bytes(4) : Bytes(0);
  const Bytes gradient = plan.gradients_in_place ? plan.gradient_element : element + cast;
  use.weights = everywhere * (parameters.dense + parameters.sparse) + read_only * parameters.frozen;
  use.gradients = gradient * parameters.dense;
  const Bytes own =
      plan.offload.optimizer ? Bytes(0) : Bytes(4);  // an updated weight, where it is apart from the others
  if ((plan.shards(StateSharding::optimizer) || plan.offload.optimizer) && gathered < Bytes(4))
    use.weights += (gathered - everywhere) * parameters.dense + own * parameters.updated;
  if (plan.reduces_each_micro_batch()) use.gradients = gradient * parameters.updated;
  if (!plan.shards(StateSharding::parameters)) return;
  const auto units = gather_units(sharded, plan);
  const Bytes part = plan.offload.optimizer ? gathered : Bytes(4);
  use.weights = part * parameters.updated + Bytes(4) * parameters.sparse + read_only * parameters.frozen_part +
                gathered * gathered_at_once(units, plan.reshard);
}

// Returns all but the activations. Sparse gradients grow with the batch.
MemoryUse without_activations(const ShardedModel& sharded, const StepPlan& plan,
                              const std::vector<SparseGradient>& gradients) {
  const Parameters parameters = count_parameters(sharded, plan, gradients);
  const Bytes element = element_size(plan.precision);
  MemoryUse use;
  add_state(sharded, plan, parameters, use);
  if (!plan.offload.optimizer)
    use.optimizer_state = state_bytes_per_parameter(plan.optimizer) * (parameters.updated + parameters.sparse);
  use.workspace = kRuntime;
  use.buffers = gradient_buffers(sharded, plan, parameters);
  for (const auto& gradient : gradients) {
    use.gradients += element * (gradient.rows * double(gradient.width));
    if (!gradient.axes.empty()) use.buffers += gradient.payload;
  }
  return use;
}

}  // namespace

RunAgain run_again(const StepPlan& plan) {
  switch (plan.recompute) {
    case Recompute::off: break;
    case Recompute::selective: return {RunAgain::What::modules, plan.recompute_modules, plan.recompute_blocks};
    case Recompute::full: return {RunAgain::What::blocks, {}, plan.recompute_blocks};
  }
  return {};
}

KeptActivations kept_tensors(const ShardedModel& sharded, bool fusion, const RunAgain& again) {
  const Model& model = sharded.model;
  const MarkedTensors marked = mark(sharded, fusion);
  const auto repetition = repetitions(model, again);
  DroppedTensors dropped(model, again);
  const auto handed = handed_on(model, repetition);
  const auto read_again = inputs_read_again(model, repetition);
  KeptActivations kept;
  std::vector<KeptTensors> of_repetition;
  for (int i = marked.tensors.first(); i < marked.tensors.end(); ++i) {
    if (i < 0) {
      if (marked.tensors.is_kept(i) || read_again[-1 - i]) kept.each += {marked.tensors.elements(i), 0, 0};
      continue;
    }
    KeptTensors tensor;
    if (marked.tensors.is_kept(i))
      (marked.tensors.is_operand(i) ? tensor.operands : tensor.elements) = marked.tensors.elements(i);
    if (handed[i]) {
      kept.each += {marked.tensors.elements(i), 0, 0};
    } else if (dropped.drops_output(i)) {
      dropped.add(i, tensor);
    } else if (repetition[i] < 0) {
      kept.each += tensor;
    }
    if (dropped.drops(i)) {
      dropped.add(i, marked.extra[i]);
      continue;
    }
    if (repetition[i] < 0) {
      kept.each += marked.extra[i];
      continue;
    }
    const auto r = static_cast<std::size_t>(repetition[i]);
    if (of_repetition.size() <= r) of_repetition.resize(r + 1);
    if (!handed[i]) of_repetition[r] += tensor;
    of_repetition[r] += marked.extra[i];
  }
  kept.recomputed = dropped.most();
  for (const KeptTensors& each : of_repetition) kept.recomputed = larger(kept.recomputed, each);
  return kept;
}

double share_on_accelerator(const ShardedModel& sharded, const Offload& offload, double in_flight) {
  constexpr double kBlocksOnTheirWay = 2;
  if (offload.activations == 0) return 1;
  const auto repetition = repetition_of_layer(sharded.model);
  const std::set<int> blocks(repetition.begin(), repetition.end());  // layers outside of blocks, -1, count as one
  const double here = std::min(1.0, kBlocksOnTheirWay / (double(blocks.size()) * in_flight));
  return 1 - offload.activations * (1 - here);
}

Bytes offloaded_per_sample(const ShardedModel& sharded, const StepPlan& plan) {
  if (plan.offload.activations == 0) return Bytes(0);
  return kept_tensors(sharded, plan.fusion, run_again(plan)).each.bytes(plan.precision) * plan.offload.activations;
}

std::pair<std::string_view, Bytes> largest_part(const MemoryUse& use) {
  using Part = std::pair<std::string_view, Bytes>;
  const std::array<Part, 6> parts{
      Part{"weights", use.weights},     {"gradients", use.gradients}, {"optimizer state", use.optimizer_state},
      {"activations", use.activations}, {"workspace", use.workspace}, {"communication buffers", use.buffers}};
  return *std::max_element(parts.begin(), parts.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
}

Bytes kept_per_sample(const ShardedModel& sharded, const StepPlan& plan) {
  const KeptActivations kept = kept_tensors(sharded, plan.fusion, run_again(plan));
  return kept.each.bytes(plan.precision) * share_on_accelerator(sharded, plan.offload, 1) +
         kept.recomputed.bytes(plan.precision);
}

MemoryUse memory_use(const ShardedModel& sharded, const StepPlan& plan) {
  return memory_use(sharded, plan, kept_per_sample(sharded, plan));
}

MemoryUse memory_use(const ShardedModel& sharded, const StepPlan& plan, Bytes kept_per_sample) {
  check_plan(plan);
  const double samples = std::ceil(plan.batch_per_accelerator / plan.micro_batches);
  MemoryUse use = without_activations(sharded, plan, sparse_gradients(sharded, plan));
  use.activations = kept_per_sample * samples;
  use.workspace += use.activations * kScratch;
  return use;
}

int largest_batch(const ShardedModel& sharded, const StepPlan& plan, Bytes memory) {
  StepPlan one = plan;
  one.batch_per_accelerator = 1;
  check_plan(one);
  auto gradients = sparse_gradients(sharded, one);
  const MemoryUse first = without_activations(sharded, one, gradients);
  for (auto& gradient : gradients) {
    gradient.rows = 0;
    gradient.payload = Bytes(0);
  }
  const Bytes fixed = without_activations(sharded, one, gradients).total();
  const Bytes rows_per_sample = first.total() - fixed;
  const Bytes kept = kept_per_sample(sharded, plan) * (1 + kScratch);
  const double samples = std::floor((memory - fixed) / (kept + rows_per_sample * double(plan.micro_batches)));
  if (!(samples > 0)) return 0;
  return static_cast<int>(std::min(samples * plan.micro_batches, double(std::numeric_limits<int>::max())));
}

}  // namespace mlsim::workloads
