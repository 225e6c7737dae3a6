// Lowering of what is no plain network of convolutions: several inputs and losses, frozen, shared and sparse
// parameters, host layers, micro-batches and recompute.
#include <algorithm>
#include <set>
#include <string>

#include "catch.hpp"
#include "tests/workloads/lowering/node_named.hpp"
#include "workloads/lowering/data_parallel_plan.hpp"
#include "workloads/lowering/gradient_bucket.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/model/model_text.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

std::vector<StepVertex> named(const StepGraph& graph, const std::string& part) {
  std::vector<StepVertex> found;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    if (graph[v].name.find(part) != std::string::npos) found.push_back(v);
  }
  return found;
}

StepVertex one(const StepGraph& graph, const std::string& name) {
  for (StepVertex v = 0; v < graph.size(); ++v) {
    if (graph[v].name == name) return v;
  }
  FAIL("no node " << name);
  return 0;
}

double flop(const StepGraph& graph, StepPart part) {
  double sum = 0;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    if (graph[v].part == part) sum += graph[v].work->flop.value * graph[v].repeats;
  }
  return sum;
}

// A language model on 5 ids, its output layer tied to its embedding.
Model tied() {
  return read_text(with_inputs("{ids: {tokens: 5}}",
                               "  - {layer: embedding, name: words, rows: 7, width: 4}\n"
                               "  - {layer: dense, name: hidden, outputs: 4}\n"
                               "  - {layer: dense, name: decoder, outputs: 7, shares: words}\n"));
}

// Two tables looked up beside a vector.
Model recommender() {
  return read_text(with_inputs("{dense: {features: 3}, ids: {tokens: 2}}",
                               "  - {layer: dense, name: bottom, outputs: 4, input: dense}\n"
                               "  - {layer: embedding_bag, name: tables, rows: [10, 1000], width: 4, input: ids}\n"
                               "  - {layer: dot_interaction, name: dots, input: bottom, embeddings: tables}\n"));
}

}  // namespace

TEST_CASE("every catalogue model lowers to a graph whose forward pass does its multiply-accumulates") {
  for (const auto& name : model_names()) {
    INFO(name);
    const Model model = load_model(name);
    for (const bool fusion : {false, true}) {
      StepPlan plan = plan_of(8, 2);
      plan.fusion = fusion;
      const StepGraph graph = lower(model, plan);
      for (StepVertex v = 0; v < graph.size(); ++v)
        for (const StepVertex before : graph.predecessors(v)) REQUIRE(before < v);
      CHECK(flop(graph, StepPart::forward) == Approx(2.0 * 2 * double(model.macs())).epsilon(1e-9));
      // A state space makes again what its backward pass needs, which is part of its forward pass: B with C, the states.
      double again = 0;
      for (const Layer& layer : model.layers)
        if (layer.kind == LayerKind::state_space) again += 2.0 * 2 * double(layer.macs());
      CHECK(flop(graph, StepPart::backward) <= 2 * flop(graph, StepPart::forward) * (1 + 1e-9) + again);
    }
  }
}

TEST_CASE("a Transformer layer does 24 s h h + 4 s s h operations forward and twice that backward") {
  const Model model = load_model("bert-large");
  const double s = 512, h = 1024;
  const StepGraph graph = lower(model, plan_of(1, 1));
  double forward = 0, backward = 0;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    if (graph[v].name.rfind("encoder.block7.", 0) != 0) continue;
    (graph[v].part == StepPart::forward ? forward : backward) += graph[v].work->flop.value;
  }
  CHECK(forward == 24 * s * h * h + 4 * s * s * h);
  CHECK(backward == 2 * forward);
}

TEST_CASE("frozen parameters have no gradient, and what lies before the first trained ones none at all") {
  const Model model = read_between(
      "  - {layer: convolution, name: stem, channels: 4, kernel: 3, frozen: true}\n"
      "  - {layer: relu, name: r0}\n"
      "  - {layer: convolution, name: first, channels: 4, kernel: 3}\n"
      "  - {layer: convolution, name: middle, channels: 4, kernel: 3, frozen: true}\n");
  const StepGraph graph = lower(model, plan_of(2, 1));
  CHECK(named(graph, "stem").size() == 1);  // forward only
  CHECK(named(graph, "first input gradient").empty());
  CHECK(named(graph, "first weight gradient").size() == 1);
  CHECK(named(graph, "middle input gradient").size() == 1);
  CHECK(named(graph, "middle weight gradient").empty());
  const StepVertex update = one(graph, "momentum update");
  CHECK(graph[update].work->bytes.value == 20.0 * (3 * 3 * 4 * 4 + 4 * 2 + 2));
}

TEST_CASE("the gradient of a shared weight is complete when all that share it are done") {
  const Model model = tied();
  for (const int ranks : {1, 4}) {
    const StepGraph graph = lower(model, plan_of(ranks, 3));
    const StepVertex decoder = one(graph, "decoder weight gradient"), words = one(graph, "words weight gradient");
    const auto waiting = ranks == 1 ? one(graph, "momentum update") : named(graph, "all-reduce gradients").back();
    CHECK(follows(graph, waiting, decoder));
    CHECK(follows(graph, waiting, words));
    CHECK(decoder < words);
  }
}

TEST_CASE("rows of sparse tables are gathered apart from the dense gradients, and only they are updated") {
  const Model model = recommender();
  const StepPlan plan = plan_of(4, 8);
  const auto sparse = sparse_gradients(model, plan);
  REQUIRE(sparse.size() == 1);
  CHECK(sparse[0].rows == 16);          // a row of each table for each sample
  CHECK(sparse[0].updated_rows == 64);  // of four ranks
  CHECK(sparse[0].payload.value == 4 * 16 * (4 * 4 + 8));
  double dense = 0;
  for (const auto& bucket : gradient_buckets(model, plan)) dense += double(bucket.parameters);
  CHECK(dense == (3 * 4 + 4) + ((4 + 3) * 2 + 2));

  const StepGraph graph = lower(model, plan);
  const StepVertex gather = one(graph, "all-gather rows of tables");
  CHECK(graph[gather].payload == sparse[0].payload);
  CHECK(follows(graph, gather, one(graph, "tables weight gradient")));
  const StepVertex update = one(graph, "momentum update of rows of tables");
  CHECK(follows(graph, update, gather));
  CHECK(graph[update].work->bytes.value == 20.0 * 64 * 4);
  CHECK(named(lower(model, plan_of(1, 8)), "all-gather").empty());
}

TEST_CASE("no more rows of a sparse table are updated than it has") {
  const auto sparse = sparse_gradients(recommender(), plan_of(4, 1000));
  CHECK(sparse[0].rows == 1010);
  CHECK(sparse[0].updated_rows == 1010);
}

TEST_CASE("gradients of two losses meet where their paths part") {
  const Model model = read_between(
      "  - {layer: convolution, name: trunk, channels: 4, kernel: 3}\n"
      "  - {layer: convolution, name: head, channels: 2, kernel: 1}\n"
      "  - {layer: sigmoid_loss, name: second}\n"
      "  - {layer: convolution, name: other, channels: 2, kernel: 1, input: trunk}\n");
  const StepGraph graph = lower(model, plan_of(1, 1));
  const StepVertex trunk = one(graph, "trunk weight gradient");
  CHECK(follows(graph, trunk, one(graph, "head input gradient")));
  CHECK(follows(graph, trunk, one(graph, "other input gradient")));
  CHECK(follows(graph, one(graph, "second backward"), one(graph, "second forward")));
}

TEST_CASE("a layer on the host takes its time for every sample, and no gradient passes through it") {
  const Model model = read_between(
      "  - {layer: convolution, name: trunk, channels: 4, kernel: 3}\n"
      "  - {layer: host_work, name: suppression, time: \"2 ms\"}\n"
      "  - {layer: convolution, name: head, channels: 2, kernel: 1, input: trunk}\n");
  const StepGraph graph = lower(model, plan_of(1, 3));
  const StepVertex host = one(graph, "suppression");
  CHECK(graph[host].kind == NodeKind::host_work);
  CHECK(graph[host].stream == Stream::host);
  CHECK(graph[host].host_time.value == Approx(0.006));
  CHECK(follows(graph, host, one(graph, "trunk forward")));
  CHECK(named(graph, "suppression").size() == 1);
}

TEST_CASE("one program of the accelerator's does host layers for all samples at once, where their time is known") {
  const auto host_time = [](const char* layer, int cores, int sharers = 1, double batch = 3) {
    const Model model =
        read_between(std::string("  - {layer: convolution, name: trunk, channels: 4, kernel: 3}\n") + layer +
                     "  - {layer: convolution, name: head, channels: 2, kernel: 1, input: trunk}\n");
    StepPlan plan = plan_of(1, batch);
    plan.one_program = cores > 0;
    plan.cores = std::max(cores, 1);
    plan.parallelism[Axis::spatial] = sharers;
    const StepGraph graph = lower(model, plan);
    const StepNode& node = graph[one(graph, "suppression")];
    CHECK((node.stream == Stream::compute) == (cores > 0 && node.host_time != milliseconds(6)));
    return node.host_time.value;
  };
  const char* const known = "  - {layer: host_work, name: suppression, time: 2 ms, batch_time: 93 ms}\n";
  CHECK(host_time(known, 2) == Approx(0.093));
  CHECK(host_time(known, 0) == Approx(0.006));
  const char* const branched =
      "  - {layer: host_work, name: suppression, time: 2 ms, batch_time: 93 ms, branches: 3}\n";
  CHECK(host_time(branched, 2, 1, 2) == Approx(0.093));
  CHECK(host_time(branched, 2, 1, 1) == Approx(0.093 / 2));
  CHECK(host_time(branched, 2, 2, 1) == Approx(0.093 / 3));
  CHECK(host_time(known, 2, 2, 1) == Approx(0.093));
  CHECK(host_time("  - {layer: host_work, name: suppression, time: 2 ms}\n", 2) == Approx(0.006));
}

TEST_CASE("four micro-batches do the work of one batch and exchange once") {
  const Model model = load_model("resnet20-cifar");
  StepPlan whole = plan_of(4, 64), parts = whole;
  parts.micro_batches = 4;
  const StepGraph a = lower(model, whole), b = lower(model, parts);
  CHECK(flop(b, StepPart::forward) == Approx(flop(a, StepPart::forward)));
  CHECK(flop(b, StepPart::backward) == Approx(flop(a, StepPart::backward)));
  CHECK(named(b, "all-reduce").size() == named(a, "all-reduce").size());
  CHECK(named(b, "update").size() == 1);
  const auto stems = named(b, "stem.conv forward").empty() ? named(b, "conv") : named(b, "stem.conv forward");
  REQUIRE(stems.size() >= 2);
  CHECK(b[stems[0]].repeats == 3);
  const StepVertex exchange = named(b, "all-reduce").front();
  for (StepVertex v = exchange; v < b.size(); ++v) CHECK(b[v].repeats == 1);
}

TEST_CASE("recompute runs the forward pass of repeated blocks once more, each before its own backward pass") {
  const Model model = load_model("bert-large");
  StepPlan plan = plan_of(1, 1);
  const double before = flop(lower(model, plan), StepPart::backward);
  plan.recompute = Recompute::full;
  const StepGraph graph = lower(model, plan);
  const double s = 512, h = 1024;
  CHECK(flop(graph, StepPart::backward) - before == Approx(24 * (24 * s * h * h + 4 * s * s * h)));
  const auto again = named(graph, "encoder.block5.queries recompute");
  REQUIRE(again.size() == 1);
  CHECK(again[0] < one(graph, "encoder.block5.queries weight gradient"));
  CHECK(again[0] > one(graph, "encoder.block6.queries weight gradient"));
}

TEST_CASE("an update tensor by tensor launches its kernels for every tensor") {
  const Model model = load_model("resnet50");
  StepPlan plan = plan_of(1, 1);
  plan.multi_tensor = false;
  const StepGraph graph = lower(model, plan);
  CHECK(graph[one(graph, "momentum update")].work->launches == 4 * 161);
  plan.multi_tensor = true;
  const StepGraph fused = lower(model, plan);
  CHECK(fused[one(fused, "momentum update")].work->launches == 1);
}

TEST_CASE("without fusion a Transformer starts several times as many kernels") {
  const Model model = load_model("bert-large");
  const auto launches = [&](bool fusion) {
    StepPlan plan = plan_of(1, 1);
    plan.fusion = fusion;
    const StepGraph graph = lower(model, plan);
    int sum = 0;
    for (StepVertex v = 0; v < graph.size(); ++v) {
      if (graph[v].kind == NodeKind::kernel) sum += graph[v].work->launches;
    }
    return sum;
  };
  CHECK(launches(false) > 4 * launches(true));
}
