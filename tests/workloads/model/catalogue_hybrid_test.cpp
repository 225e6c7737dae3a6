// Hybrids of state spaces and attention against published totals, and the state space against the formulas of its paper.
#include <algorithm>
#include <numeric>
#include <string>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/workloads/layer_named.hpp"
#include "workloads/model/layer_work.hpp"
#include "workloads/split/context_split.hpp"
#include "workloads/split/expert_split.hpp"
#include "workloads/split/tensor_split.hpp"

using namespace mlsim;
using namespace mlsim::workloads;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

int count_of_kind(const Model& model, LayerKind kind) {
  return static_cast<int>(
      std::count_if(model.layers.begin(), model.layers.end(), [&](const Layer& each) { return each.kind == kind; }));
}

double flop_of_kernels(const Kernels& kernels) {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0,
                         [](double sum, const KernelWork& each) { return sum + each.flop.value; });
}

// The keys of nvidia/Nemotron-H-8B-Base-8K that size it.
const std::string kNemotronH = R"({"model_type": "nemotron_h", "hidden_size": 4096, "num_hidden_layers": 52,
  "hybrid_override_pattern": "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-", "num_attention_heads": 32,
  "num_key_value_heads": 8, "attention_head_dim": 128, "intermediate_size": 21504, "mamba_num_heads": 128,
  "mamba_head_dim": 64, "ssm_state_size": 128, "n_groups": 8, "conv_kernel": 4, "chunk_size": 128,
  "vocab_size": 131072, "max_position_embeddings": 8192, "tie_word_embeddings": false, "use_conv_bias": true})";

Model hybrid_from(const std::string& text, const std::string& overrides = "") {
  ScratchFolder folder;
  return load_model(folder.file("config.json", text) + overrides);
}

void hybrid_refused(const std::string& from, const std::string& to, const std::string& reason) {
  std::string text = kNemotronH;
  text.replace(text.find(from), from.size(), to);
  CHECK_THROWS_WITH(hybrid_from(text), ContainsSubstring("config.json:") && ContainsSubstring(reason));
}

}  // namespace

TEST_CASE("hybrids have the parameters of their checkpoints, to the unit") {
  CHECK(load_model("nemotron-h-8b").parameters() == 8100852736);
  CHECK(load_model("nemotron-3-nano").parameters() == 31577940288);
  CHECK(std::abs(double(load_model("nemotron-h-56b").parameters()) / 1e9 - 56) < 0.5);
}

TEST_CASE("models of state spaces alone have the parameters of Mamba-2's, to the unit") {
  // A layer of width h has two streams of 2 h channels in, B and C of 128 numbers and a step a head; a convolution of 4
  // taps with its bias over channels, B and C; A, D and the bias of the step a head; two normalisations; 2 h to h out.
  const auto counted = [](double layers, double h) {
    const double inner = 2 * h, heads = inner / 64, streams = inner + 2 * 128;
    const double layer = h * (2 * inner + 2 * 128 + heads) + 5 * streams + 3 * heads + inner + inner * h + h;
    return layers * layer + 50288 * h + h;
  };
  CHECK(load_model("mamba2-2.7b").parameters() == 2702599680);  // state-spaces/mamba2-2.7b
  CHECK(double(load_model("mamba2-2.7b").parameters()) == counted(64, 2560));
  CHECK(double(load_model("mamba2-1.3b").parameters()) == counted(48, 2048));
  CHECK(double(load_model("mamba2-780m").parameters()) == counted(48, 1536));
  CHECK(double(load_model("mamba2-370m").parameters()) == counted(48, 1024));
  CHECK(double(load_model("mamba2-130m").parameters()) == counted(24, 768));
}

TEST_CASE("a pattern says what each layer of a hybrid is, and begins again behind its end") {
  const Model model = load_model("nemotron-h-8b");
  CHECK(count_of_kind(model, LayerKind::state_space) == 24);
  CHECK(count_of_kind(model, LayerKind::self_attention) == 4);
  CHECK(count_of_kind(model, LayerKind::squared_relu) == 24);
  CHECK(layer_named(model, "decoder.block7.attention").heads == 32);
  CHECK(layer_named(model, "decoder.block8.ffn.widen").output.channels == 21504);
  CHECK(count_of_kind(load_model("nemotron-h-8b:layers=104"), LayerKind::self_attention) == 8);
  CHECK(count_of_kind(load_model("nemotron-3-nano"), LayerKind::expert_dense) == 2 * 23);
  CHECK_THROWS_WITH(load_model("nemotron-h-8b:experts=8"), ContainsSubstring("changes nothing"));
}

TEST_CASE("tokens are pressed for the experts of Nemotron 3 Super and Ultra") {
  // Each mixture: router with biases, both projections, the experts, what all share, and a norm.
  const auto mixture = [](double hidden, double latent, double expert, double shared) {
    return 512 * hidden + 512 + 2 * hidden * latent + 512 * 2 * latent * expert + 2 * hidden * shared + hidden;
  };
  const auto mixtures = [](const Model& model) {
    double sum = 0;
    for (const Layer& layer : model.layers)
      if (layer.name.find(".mixture.") != std::string::npos || layer.name.find("norm2") != std::string::npos)
        sum += double(layer.parameters());
    return sum;
  };
  const Model super = load_model("nemotron-3-super"), ultra = load_model("nemotron-3-ultra");
  CHECK(mixtures(super) == 40 * mixture(4096, 1024, 2688, 5376));
  CHECK(mixtures(ultra) == 48 * mixture(8192, 2048, 5120, 10240));
  CHECK(std::abs(double(super.parameters()) / 1e9 - 120) < 1);
  CHECK(std::abs(double(ultra.parameters()) / 1e9 - 550) < 1);
  CHECK(layer_named(super, "decoder.block1.mixture.widen").input.channels == 1024);
  CHECK(layer_named(super, "decoder.block1.mixture.shared_widen").input.channels == 4096);
  const ShardedModel part = split_experts(super, 64);  // what travels is pressed, too
  const auto sent = std::find_if(part.exchanges.begin(), part.exchanges.end(),
                                 [](const LayerExchange& each) { return each.moment == Moment::before_forward; });
  REQUIRE(sent != part.exchanges.end());
  CHECK(sent->elements_per_sample == 22.0 * 8192 * 1024);
}

TEST_CASE("newer files have a word for each layer of a hybrid") {
  const std::string letters = R"("num_hidden_layers": 52,
  "hybrid_override_pattern": "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-")";
  const auto with = [&](const std::string& words) {
    std::string text = kNemotronH;
    return text.replace(text.find(letters), letters.size(), words);
  };
  const Model model = hybrid_from(with(R"("layers_block_type": ["mamba", "mlp", "attention", "mamba"])"));
  CHECK(count_of_kind(model, LayerKind::state_space) == 2);
  CHECK(count_of_kind(model, LayerKind::self_attention) == 1);
  CHECK(count_of_kind(model, LayerKind::squared_relu) == 1);
  CHECK_THROWS_WITH(hybrid_from(with(R"("layers_block_type": ["mamba", "memory"])")),
                    ContainsSubstring("\"memory\" is no layer; mamba, attention, mlp and moe are"));
  CHECK_THROWS_WITH(hybrid_from(with(R"("num_hidden_layers": 3, "layers_block_type": ["mamba", "mlp"])")),
                    ContainsSubstring("2 letters are not num_hidden_layers 3"));
}

TEST_CASE("a config.json of nemotron_h is the catalogue's model, and what contradicts in it is refused") {
  CHECK(hybrid_from(kNemotronH).parameters() == 8100852736);
  CHECK(hybrid_from(kNemotronH, ":sequence=8192").macs() == load_model("nemotron-h-8b").macs());
  std::string mixture = kNemotronH;
  const std::string feed_forward = "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-";
  std::string experts = feed_forward;
  std::replace(experts.begin(), experts.end(), '-', 'E');
  mixture.replace(mixture.find(feed_forward), feed_forward.size(), experts);
  mixture.replace(mixture.find("{"), 1, R"({"n_routed_experts": 16, "num_experts_per_tok": 2, "n_shared_experts": 1,
    "moe_intermediate_size": 1024, "moe_shared_expert_intermediate_size": 3712,)");
  const std::int64_t width = 4096;
  CHECK(hybrid_from(mixture).parameters() ==
        8100852736 + 24 * (2 * width * (16 * 1024 + 3712 - 21504) + 16 * width + 16));
  hybrid_refused("\"hybrid_override_pattern\": \"M-M-", "\"hybrid_override_pattern\": \"M-", "50 letters are not");
  hybrid_refused("\"M-M-", "\"M-X-", "\"X\" is no letter of a layer");
  hybrid_refused("\"ssm_state_size\": 128, ", "", "the key \"ssm_state_size\" is missing");
  hybrid_refused("\"use_conv_bias\": true", "\"use_conv_bias\": false", "a convolution without bias");
}

// Dao and Gu, arXiv:2405.21060, section 6: of a token Q N for each group, Q P for each head, and twice P N to and from
// states.
TEST_CASE("a state space multiplies as its paper says, backward twice as much and what it makes again") {
  const Layer scan = layer_named(load_model("nemotron-h-8b"), "decoder.block0.scan");
  const double tokens = 8192, chunk = 128, heads = 128, size = 64, state = 128, groups = 8;
  const double meet = tokens * groups * chunk * state, states = tokens * heads * size * state;
  const double forward = meet + tokens * heads * chunk * size + 2 * states;
  CHECK(double(scan.macs()) == forward);
  CHECK(scan.parameters() == 10240 * 4 + 10240 + 3 * 128 + 8192);
  const auto work = [&](Pass pass) { return state_space_work(scan, pass, 2, Precision::bf16, FusionRole::leads); };
  CHECK(flop_of_kernels(work(Pass::forward)) == Approx(2 * 2 * forward));
  CHECK(flop_of_kernels(work(Pass::input_gradient)) == Approx(2 * 2 * (2 * forward + meet + states)));
  CHECK(work(Pass::weight_gradient).empty());
  // Megatron-LM counts 7 d N FLOP a token for the scan (megatron/training/training.py, mamba_layer_flops).
  CHECK(2 * forward == Approx(7 * tokens * heads * size * state).epsilon(0.15));
}

TEST_CASE("a state space keeps its projections and its result in front of the norm") {
  const Layer scan = layer_named(load_model("nemotron-h-8b"), "decoder.block0.scan");
  const Kept kept = state_space_kept(scan, FusionRole::leads);
  CHECK(kept.inputs);
  CHECK(kept.extra == 8192.0 * 8192);
  CHECK(kept.wide == 8192.0 * 8);
}

TEST_CASE("tensor ranks share a state space by heads and their groups, and no ranks share its tokens") {
  const Model model = load_model("nemotron-h-8b:layers=9");
  const ShardedModel part = split_tensor(ShardedModel(model), 4, true, false);
  const Layer scan = layer_named(part.model, "decoder.block0.scan");
  CHECK(scan.heads == 32);
  CHECK(scan.kv_heads == 2);
  CHECK(scan.input.channels == 18560 / 4);
  CHECK(scan.output.channels == 2048);
  CHECK(4 * scan.parameters() == layer_named(model, "decoder.block0.scan").parameters());
  CHECK(4 * scan.macs() == layer_named(model, "decoder.block0.scan").macs());
  CHECK_THROWS_WITH(split_tensor(ShardedModel(model), 16, true, false),
                    ContainsSubstring("tensor=16 does not divide the 8 heads' groups"));
  CHECK_THROWS_WITH(split_context(ShardedModel(model), 2, ContextExchange::ring),
                    ContainsSubstring("hands a state from each token to the next"));
}
