// These tests hold costs of language models' operators against kernels of PyTorch, Megatron-LM and Mamba on an H100.
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "core/quantile.hpp"
#include "core/text/csv.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "topologies/machine/accelerator_file.hpp"
#include "workloads/model/operator.hpp"

using namespace mlsim;
using namespace mlsim::sim;
using namespace mlsim::workloads;

namespace {

struct Measured {
  std::string gpu, operation, pass;
  std::map<std::string, double> shape;
  double seconds = 0;

  double at(const char* key) const { return shape.at(key); }
};

std::vector<Measured> measured(const std::string& operation) {
  std::vector<Measured> found;
  for (const auto& row : load_csv(MLSIM_SOURCE_DIR "/examples/calibrated-gpu/pytorch_operators.csv").rows) {
    const auto& cell = row.fields;
    if (cell.at(2) != operation) continue;
    Measured one{cell.at(1), cell.at(2), cell.at(3), {}, std::stod(cell.at(6))};
    std::stringstream words(cell.at(5));
    for (std::string word; std::getline(words, word, ';');)
      one.shape[word.substr(0, word.find('='))] = std::stod(word.substr(word.find('=') + 1));
    found.push_back(std::move(one));
  }
  REQUIRE_FALSE(found.empty());
  return found;
}

// Kernels by themselves, as a profiler sees them: no gap between them, passes over memory as in a step, products and
// attention without its heat.
double said(const Measured& run, const Layer& layer, Pass pass, double samples = 1) {
  const AcceleratorSpec chip = load_accelerator(run.gpu == "h100" ? "h100-sxm5" : "h200-sxm");
  const KernelCost alone(chip, Precision::bf16, std::vector<Profile>{}), in_step = alone.by_operators();
  const Precision format = layer.in_fp32 ? Precision::fp32 : Precision::bf16;
  double seconds = 0;
  for (const auto& work : operator_of(layer.kind).work(layer, pass, samples, format, FusionRole::leads))
    seconds += (work.key.op == KernelOp::elementwise ? in_step : alone).time(work).work.value;
  return seconds;
}

Layer layer_of(LayerKind kind, double positions, double inputs, double outputs) {
  Layer layer;
  layer.kind = kind;
  layer.input = {int(inputs), int(positions), 1};
  layer.output = {int(outputs), int(positions), 1};
  return layer;
}

double distance(double said_s, const Measured& run) {
  INFO(run.gpu << ' ' << run.operation << ' ' << run.pass << ": said " << said_s << " s, ran " << run.seconds);
  const double off = std::abs(std::log(said_s / run.seconds));
  CHECK(off < std::log(2));
  return off;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

}  // namespace

// The traffic of scans was set by the first two rows' sums.
TEST_CASE("a scan of a state space takes both ways what Mamba's kernels take") {
  double said_s = 0, ran = 0;
  for (const Measured& run : measured("scan")) {
    Layer layer = layer_of(LayerKind::state_space, run.at("tokens"), 0, run.at("heads") * run.at("head_size"));
    layer.heads = int(run.at("heads"));
    layer.kv_heads = int(run.at("groups"));
    layer.head_size = int(run.at("head_size"));
    layer.state = int(run.at("state"));
    layer.chunk = int(run.at("chunk"));
    said_s += said(run, layer, run.pass == "forward" ? Pass::forward : Pass::input_gradient, run.at("samples"));
    ran += run.seconds;
    if (run.pass == "forward") continue;
    INFO("both ways of " << run.at("heads") << " heads: said " << said_s << " s, ran " << ran);
    CHECK(said_s == Approx(ran).epsilon(0.15));
    said_s = ran = 0;
  }
}

TEST_CASE("fused attention takes what cuDNN's takes, heads of 64 channels longer") {
  std::vector<double> all, long_ones;
  for (const Measured& run : measured("attention_cudnn")) {
    const double heads = run.at("heads"), kv_heads = run.at("kv_heads"), size = run.at("head_size");
    Layer layer = layer_of(LayerKind::self_attention, run.at("tokens"), (heads + 2 * kv_heads) * size, heads * size);
    layer.heads = int(heads);
    layer.kv_heads = int(kv_heads);
    layer.head_size = layer.value_size = int(size);
    layer.causal = layer.flash = true;
    const Pass pass = run.pass == "forward" ? Pass::forward : Pass::input_gradient;
    all.push_back(distance(said(run, layer, pass, run.at("samples")), run));
    if (run.at("tokens") == 4096) long_ones.push_back(all.back());
  }
  CHECK(median(all) < std::log(1.25));
  CHECK(*std::max_element(long_ones.begin(), long_ones.end()) < std::log(1.15));
}

TEST_CASE("products of experts take what cuBLAS takes for them one by one") {
  std::vector<double> all;
  for (const Measured& run : measured("expert_product")) {
    if (!run.pass.starts_with("streams")) continue;
    Layer layer = layer_of(LayerKind::expert_dense, run.at("rows"), run.at("channels"), run.at("outputs"));
    layer.experts = int(run.at("local_experts"));
    const Pass pass = run.pass == "streams_forward"          ? Pass::forward
                      : run.pass == "streams_input_gradient" ? Pass::input_gradient
                                                             : Pass::weight_gradient;
    all.push_back(distance(said(run, layer, pass), run));
  }
  CHECK(median(all) < std::log(1.15));
}

// Their passes were set by the first two rows.
TEST_CASE("biases of experts take what they take row by row") {
  for (const Measured& run : measured("expert_bias")) {
    Layer layer = layer_of(LayerKind::expert_combine, run.at("rows"), run.at("hidden"), run.at("hidden"));
    layer.output.height /= 4;
    layer.bias = true;
    CHECK(distance(said(run, layer, run.pass == "forward" ? Pass::forward : Pass::input_gradient), run) < 0.25);
  }
}

// Its product in fp32 is what is said of a router; scores, choice and masks are the rest.
TEST_CASE("a router takes its product in fp32 and up to twice as long besides") {
  double said_s = 0, ran = 0;
  for (const Measured& run : measured("router")) {
    Layer layer = layer_of(LayerKind::dense, run.at("tokens"), run.at("hidden"), run.at("experts"));
    layer.in_fp32 = true;
    const bool forward = run.pass == "forward";
    said_s += forward ? said(run, layer, Pass::forward)
                      : said(run, layer, Pass::input_gradient) + said(run, layer, Pass::weight_gradient);
    ran += run.seconds;
    if (forward) continue;
    INFO(run.at("hidden") << " channels, " << run.at("experts") << " experts: said " << said_s << " s, ran " << ran);
    CHECK(said_s < ran);
    CHECK(said_s > ran / 3);
    said_s = ran = 0;
  }
}
