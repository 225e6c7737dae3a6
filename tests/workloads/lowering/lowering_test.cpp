#include "workloads/lowering/lowering.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "tests/workloads/lowering/node_named.hpp"
#include "workloads/lowering/data_parallel_plan.hpp"
#include "workloads/lowering/gradient_bucket.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

template <class Predicate>
std::vector<StepVertex> nodes_where(const StepGraph& graph, Predicate predicate) {
  std::vector<StepVertex> found;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    if (predicate(graph[v])) found.push_back(v);
  }
  return found;
}
std::vector<StepVertex> collectives(const StepGraph& graph) {
  return nodes_where(graph, [](const StepNode& node) { return node.kind == NodeKind::collective; });
}
std::vector<StepVertex> kernel_nodes(const StepGraph& graph, StepPart part) {
  return nodes_where(graph, [&](const StepNode& node) { return node.kind == NodeKind::kernel && node.part == part; });
}

// Everything that must be done before `vertex` may start, by edges alone.
std::set<StepVertex> ancestors(const StepGraph& graph, StepVertex vertex) {
  std::set<StepVertex> found;
  std::vector<StepVertex> open{vertex};
  while (!open.empty()) {
    const StepVertex v = open.back();
    open.pop_back();
    for (const StepVertex before : graph.predecessors(v))
      if (found.insert(before).second) open.push_back(before);
  }
  return found;
}

double part_flop(const StepGraph& graph, StepPart part) {
  double sum = 0;
  for (const StepVertex v : kernel_nodes(graph, part)) sum += graph[v].work->flop.value;
  return sum;
}

std::vector<StepPlan> all_plans() {
  std::vector<StepPlan> plans;
  for (const int ranks : {1, 8}) {
    for (int choice = 0; choice < 8; ++choice) {
      StepPlan plan = plan_of(ranks, 4);
      plan.fusion = choice & 1;
      plan.overlap = choice & 2;
      plan.sharding = (choice & 4) != 0 ? StateSharding::optimizer : StateSharding::none;
      plan.optimizer = choice & 4 ? Optimizer::lars : Optimizer::momentum;
      plans.push_back(plan);
    }
  }
  return plans;
}

}  // namespace

TEST_CASE("every edge of a step goes from a lower to a higher vertex") {
  for (const char* name : {"resnet50", "resnet50-v1", "vgg16", "alexnet", "resnet20-cifar"}) {
    for (const auto& plan : all_plans()) {
      const StepGraph graph = lower(load_model(name), plan);
      for (StepVertex v = 1; v < graph.size(); ++v) {
        REQUIRE(!graph.predecessors(v).empty());
        for (const StepVertex before : graph.predecessors(v)) REQUIRE(before < v);
      }
    }
  }
}

TEST_CASE("training does three times the forward work less the first convolution's input gradient") {
  const Model model = load_model("resnet50");
  const double forward = 2.0 * 16 * double(model.macs());
  const double first = 2.0 * 16 * double(model.layers.front().macs());
  CHECK(model.layers.front().macs() == 7 * 7 * 3 * 64 * 112 * 112);
  for (const bool fusion : {false, true}) {
    StepPlan plan = plan_of(8, 16);
    plan.fusion = fusion;
    const StepGraph graph = lower(model, plan);
    CHECK(part_flop(graph, StepPart::forward) == Approx(forward).epsilon(1e-12));
    CHECK(part_flop(graph, StepPart::backward) == Approx(2 * forward - first).epsilon(1e-12));
    CHECK(part_flop(graph, StepPart::optimizer) == 0);
  }
}

TEST_CASE("a step of ResNet-50 has one kernel per operator, or per fused group") {
  const Model model = load_model("resnet50");
  StepPlan plan = plan_of(1, 32);
  plan.fusion = false;
  const StepGraph plain = lower(model, plan);
  CHECK(kernel_nodes(plain, StepPart::forward).size() == 175);
  // 54 matrix products with two gradients each but for the first, and the 121 elementwise layers.
  CHECK(kernel_nodes(plain, StepPart::backward).size() == 54 * 2 - 1 + 121);
  plan.fusion = true;
  const StepGraph fused = lower(model, plan);
  CHECK(kernel_nodes(fused, StepPart::forward).size() == 110);
  CHECK(kernel_nodes(fused, StepPart::backward).size() == 54 * 2 - 1 + 56);
}

TEST_CASE("fusion saves the passes of ReLU and addition") {
  const Model model = load_model("resnet50");
  const auto elementwise_bytes = [&](bool fusion) {
    StepPlan plan = plan_of(1, 2);
    plan.fusion = fusion;
    const StepGraph graph = lower(model, plan);
    double bytes = 0;
    for (const StepVertex v : nodes_where(graph, [](const StepNode& node) {
           return node.kind == NodeKind::kernel && node.part != StepPart::optimizer && node.work->flop == Flop(0);
         })) {
      bytes += graph[v].work->bytes.value;
    }
    return bytes;
  };
  double normalised = 0, activated = 0, added = 0;
  for (const auto& layer : model.layers) {
    const double elements = double(layer.output.elements());
    if (layer.kind == LayerKind::batch_normalization) normalised += elements;
    if (layer.kind == LayerKind::relu) activated += elements;
    if (layer.kind == LayerKind::add) added += elements;
  }
  const double saved = 0.5 * normalised + 5 * activated + 2.5 * added + 3 * 1000;
  CHECK(elementwise_bytes(false) - elementwise_bytes(true) == Approx(2 * 4 * saved).epsilon(1e-12));
}

TEST_CASE("every exchange waits for the weight gradients that it carries") {
  const Model model = load_model("resnet50");
  for (auto plan : all_plans()) {
    plan.parallelism[Axis::data] = 8;
    const StepGraph graph = lower(model, plan);
    const auto buckets = gradient_buckets(model, plan);
    const auto kind =
        plan.shards(StateSharding::optimizer) ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
    const auto exchanges = nodes_where(graph, [&](const StepNode& node) {
      return node.kind == NodeKind::collective && node.collective == kind &&
             node.name.find("gradients") != node.name.npos;
    });
    REQUIRE(exchanges.size() == buckets.size());
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      CHECK(graph[exchanges[b]].payload == buckets[b].bytes);
      CHECK(graph[exchanges[b]].axes == Axis::data);
      CHECK(graph[exchanges[b]].stream == Stream::communication);
      std::set<std::string> before;
      for (const StepVertex v : ancestors(graph, exchanges[b])) before.insert(graph[v].name);
      for (const int layer : buckets[b].layers) {
        const auto& each = model.layers[layer];
        const bool normalisation = each.kind == LayerKind::batch_normalization;
        const std::string prefix = each.name + (normalisation ? "" : " weight gradient");
        INFO(prefix);
        CHECK(std::any_of(before.begin(), before.end(), [&](const std::string& name) {
          return name.rfind(prefix, 0) == 0 && (!normalisation || name.find("backward") != name.npos);
        }));
      }
    }
  }
}

TEST_CASE("with overlap the first exchange is free to start before the backward pass ends, without it after") {
  const Model model = load_model("resnet50");
  StepPlan plan = plan_of(8, 32);
  const auto first_and_last = [&] {
    const StepGraph graph = lower(model, plan);
    const StepVertex exchange = collectives(graph).front();
    const StepVertex last = kernel_nodes(graph, StepPart::backward).back();
    return std::make_pair(ancestors(graph, exchange).count(last), exchange < last);
  };
  plan.overlap = true;
  CHECK(first_and_last() == std::make_pair(std::size_t{0}, true));
  plan.overlap = false;
  CHECK(first_and_last() == std::make_pair(std::size_t{1}, false));
}

TEST_CASE("one rank exchanges nothing and updates behind every weight gradient") {
  const Model model = load_model("resnet50");
  StepPlan plan = plan_of(1, 32);
  plan.sharding = StateSharding::optimizer;  // no other rank to share with
  const StepGraph graph = lower(model, plan);
  CHECK(collectives(graph).empty());
  const auto updates = kernel_nodes(graph, StepPart::optimizer);
  REQUIRE(updates.size() == 1);
  CHECK(graph[updates[0]].work->bytes.value == 20.0 * 25557032);
  CHECK(graph.predecessors(updates[0]).size() == 53 + 53 + 1);
}

TEST_CASE("the update follows all exchanges") {
  const StepGraph graph = lower(load_model("resnet50"), plan_of(8, 32));
  const auto exchanges = collectives(graph);
  const auto before = ancestors(graph, kernel_nodes(graph, StepPart::optimizer).front());
  for (const StepVertex v : exchanges) CHECK(before.count(v) == 1);
  CHECK(kernel_nodes(graph, StepPart::optimizer).back() == graph.size() - 1);
}

TEST_CASE("a sharded update scatters, updates its share and gathers the new weights") {
  const Model model = load_model("resnet50");
  StepPlan plan = plan_of(8, 32);
  plan.sharding = StateSharding::optimizer;
  plan.precision = Precision::bf16;
  const StepGraph graph = lower(model, plan);
  const StepVertex update = node_named(graph, "momentum update");
  CHECK(graph[update].work->bytes.value == 20.0 * (25557032 / 8));
  double scattered = 0, gathered = 0;
  for (const StepVertex v : collectives(graph)) {
    if (graph[v].collective == CollectiveKind::reduce_scatter) {
      CHECK(v < update);
      scattered += graph[v].payload.value;
    } else {
      CHECK(graph[v].collective == CollectiveKind::all_gather);
      CHECK(ancestors(graph, v).count(update) == 1);
      gathered += graph[v].payload.value;
    }
  }
  CHECK(scattered == 4.0 * 25557032);
  CHECK(gathered == 2.0 * 25557032);
}

TEST_CASE("LARS passes over weights and gradients once more") {
  const Model model = load_model("resnet50");
  StepPlan plan = plan_of(8, 32);
  const auto bytes = [&] {
    double sum = 0;
    const StepGraph graph = lower(model, plan);
    for (const StepVertex v : kernel_nodes(graph, StepPart::optimizer)) sum += graph[v].work->bytes.value;
    return sum;
  };
  plan.optimizer = Optimizer::sgd;
  CHECK(bytes() == 12.0 * 25557032);
  plan.optimizer = Optimizer::momentum;
  CHECK(bytes() == 20.0 * 25557032);
  plan.optimizer = Optimizer::lars;
  CHECK(bytes() == 28.0 * 25557032);
}

TEST_CASE("sharded LARS adds up the norms of its shards") {
  StepPlan plan = plan_of(8, 32);
  plan.optimizer = Optimizer::lars;
  plan.sharding = StateSharding::optimizer;
  const StepGraph graph = lower(load_model("resnet50"), plan);
  const StepVertex norms = node_named(graph, "all-reduce lars norms");
  CHECK(graph[norms].payload.value == 161 * 2 * 4);
  CHECK(norms > node_named(graph, "lars norms"));
  CHECK(ancestors(graph, node_named(graph, "lars update")).count(norms) == 1);
}

TEST_CASE("the first kernel waits for the input batch") {
  const StepGraph graph = lower(load_model("resnet50"), plan_of(8, 48));
  CHECK(graph[0].kind == NodeKind::host_work);
  CHECK(graph[0].stream == Stream::host);
  CHECK(graph[0].samples == 48);
  CHECK(follows(graph, node_named(graph, "stem.conv forward"), 0));
  for (StepVertex v = 1; v < graph.size(); ++v) CHECK(follows(graph, v, 0) == (graph[v].name == "stem.conv forward"));
}

TEST_CASE("the gradient of a shortcut and of the main path meet before the layers upstream") {
  StepPlan plan = plan_of(1, 8);
  const StepGraph graph = lower(load_model("resnet50"), plan);
  // The ReLU before stage1.block1 feeds its conv1 and, past it, the addition fused into bn3.
  const StepVertex meeting = node_named(graph, "stage1.block0.shortcut_bn+add+relu3 backward");
  CHECK(graph.predecessors(meeting).size() == 2);
  CHECK(follows(graph, meeting, node_named(graph, "stage1.block1.conv1 input gradient")));
  CHECK(follows(graph, meeting, node_named(graph, "stage1.block1.bn3+add+relu3 backward")));
}

TEST_CASE("a plan without meaning is refused") {
  const Model model = load_model("resnet20-cifar");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(lower(model, plan_of(0, 1)), ContainsSubstring("data parallelism must be at least 1, not 0"));
  CHECK_THROWS_WITH(lower(model, plan_of(1, 0)), ContainsSubstring("a batch of 0 samples per accelerator"));
  CHECK_THROWS_AS(lower(model, plan_of(1, nan)), InputError);
  CHECK_THROWS_AS(lower(model, plan_of(1, 1e12)), InputError);
  StepPlan plan = plan_of(2, 1);
  plan.bucket = Bytes(-1);
  CHECK_THROWS_WITH(lower(model, plan),
                    ContainsSubstring("the gradient bucket must be a size of at least 0 B, not -1"));
  plan.bucket = Bytes(nan);
  CHECK_THROWS_AS(lower(model, plan), InputError);
  plan = plan_of(2, 1);
  plan.micro_batches = 0;
  CHECK_THROWS_WITH(lower(model, plan), ContainsSubstring("a step has at least 1 micro-batch, not 0"));
}
