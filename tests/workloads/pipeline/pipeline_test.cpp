#include "workloads/pipeline/pipeline.hpp"

#include <map>
#include <set>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "tests/oracles/workloads/pipeline_closed_form.hpp"
#include "workloads/pipeline/graph_run.hpp"
#include "workloads/pipeline/partition.hpp"
#include "workloads/pipeline/stage.hpp"
#include "workloads/split/tensor_split.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

struct PipelineCase {
  ShardedModel model;
  StepPlan plan;
  PipelinePlan pipeline;
  StepGraph graph() const { return lower_pipeline(model, plan, pipeline); }
};

PipelineCase case_of(const std::string& name, int stages, int micro_batches, PipelineSchedule schedule,
                     int chunks = 1) {
  PipelineCase made{load_model(name), {}, {}};
  made.plan.parallelism[Axis::pipeline] = stages;
  made.plan.micro_batches = micro_batches;
  made.plan.batch_per_accelerator = 2 * micro_batches;
  made.plan.precision = Precision::bf16;
  made.pipeline.schedule = schedule;
  made.pipeline.chunks = chunks;
  const auto cost = layer_costs(made.model, made.plan, [](const KernelWork& work) { return Seconds(work.flop.value); });
  made.pipeline.first_layers = balanced_stages(made.model, cost, stages * chunks, true);
  return made;
}

int count(const StepGraph& graph, NodeKind kind) {
  int nodes = 0;
  for (StepVertex v = 0; v < graph.size(); ++v) nodes += graph[v].kind == kind ? 1 : 0;
  return nodes;
}

}  // namespace

TEST_CASE("pipeline: some blocks of each chunk run again, of all stages together so many times as many") {
  PipelineCase each = case_of("gpt2", 4, 8, PipelineSchedule::one_f_one_b, 1);
  const double off = total_flop(each.graph());
  each.plan.recompute = Recompute::full;
  const double full = total_flop(each.graph());
  each.plan.recompute_blocks = 1;  // of the three of each of four stages
  CHECK(total_flop(each.graph()) - off == Approx((full - off) / 3).epsilon(0.02));
}

TEST_CASE("pipeline: all stages together do the work of the whole model") {
  for (const auto schedule : {PipelineSchedule::gpipe, PipelineSchedule::one_f_one_b, PipelineSchedule::interleaved}) {
    for (const auto* name : {"gpt2", "resnet50", "gnmt"}) {
      for (const Recompute recompute : {Recompute::off, Recompute::selective, Recompute::full}) {
        CAPTURE(mlsim::name(schedule), name, mlsim::name(recompute));
        PipelineCase each = case_of(name, 4, 8, schedule, schedule == PipelineSchedule::interleaved ? 2 : 1);
        each.plan.recompute = recompute;
        const StepGraph graph = each.graph();
        StepPlan whole = each.plan;
        whole.parallelism[Axis::pipeline] = 1;
        double flop = total_flop(lower(each.model, whole));
        if (recompute == Recompute::full && schedule == PipelineSchedule::gpipe) {
          whole.recompute = Recompute::off;
          flop =
              total_flop(lower(each.model, whole)) + 2 * double(each.model.model.macs()) * whole.batch_per_accelerator;
        }
        CHECK(total_flop(graph) == Approx(flop));
        // Its edges join nodes of one stage or lead from a transfer to its peer: run_graph checks.
        const auto run = run_graph(graph, flop_of);
        CHECK(run.length < flop);
        CHECK(run.length > flop / 4);
      }
    }
  }
}

TEST_CASE("pipeline: few nodes, which share the kernels of their stage") {
  const PipelineCase each = case_of("gpt3-175b", 8, 64, PipelineSchedule::one_f_one_b);
  const StepGraph graph = each.graph();
  CHECK(graph.size() < 2 * 3 * 8 * 64);
  CHECK(count(graph, NodeKind::kernel_sequence) == 2 * 8 * 64);
  CHECK(count(graph, NodeKind::transfer) == 2 * 7 * 64 + 2);  // and the two sums of the tied embedding
  std::set<const void*> sequences;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    if (graph[v].sequence) sequences.insert(graph[v].sequence.get());
  }
  CHECK(sequences.size() == 2 * 8);
}

TEST_CASE("pipeline: a transformer sends its hidden state of a micro-batch each way") {
  const PipelineCase each = case_of("gpt2", 4, 8, PipelineSchedule::one_f_one_b);
  const double bytes = 2 * 1024.0 * 768 * 2;  // b s h of 2 samples in 2 bytes
  const StepGraph graph = each.graph();
  std::map<std::pair<int, int>, double> sent;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    const StepNode& node = graph[v];
    if (node.kind != NodeKind::transfer || node.part == StepPart::gradient_exchange) continue;
    CHECK(node.payload.value == bytes);
    CHECK(node.stream == Stream::exchange);
    CHECK(node.collective == CollectiveKind::send_receive);
    sent[{node.role, node.peer}] += node.payload.value;
  }
  CHECK(sent.size() == 6);
  for (const auto& [stages, sum] : sent) {
    CHECK(std::abs(stages.first - stages.second) == 1);
    CHECK(sum == 8 * bytes);
  }
}

TEST_CASE("pipeline: chunks send as many times as much, the last stage to the first as well") {
  const PipelineCase each = case_of("gpt2", 2, 4, PipelineSchedule::interleaved, 3);
  std::map<std::pair<int, int>, int> sent;
  const StepGraph graph = each.graph();
  for (StepVertex v = 0; v < graph.size(); ++v) {
    if (graph[v].kind == NodeKind::transfer && graph[v].part == StepPart::forward)
      ++sent[{graph[v].role, graph[v].peer}];
  }
  CHECK(sent == std::map<std::pair<int, int>, int>{{{0, 1}, 3 * 4}, {{1, 0}, 2 * 4}});
}

TEST_CASE("pipeline: the graph takes the closed form's time where nothing is sent") {
  for (const int micro_batches : {1, 4, 32}) {
    const PipelineCase each = case_of("gpt2", 4, micro_batches, PipelineSchedule::gpipe);
    const StepGraph graph = each.graph();
    std::vector<Seconds> forward(4), backward(4);
    for (StepVertex v = 0; v < graph.size(); ++v) {
      if (graph[v].kind != NodeKind::kernel_sequence) continue;
      auto& times = graph[v].part == StepPart::forward ? forward : backward;
      times[graph[v].role] += Seconds(flop_of(graph[v]) / micro_batches);
    }
    CHECK(run_graph(graph, flop_of).length ==
          Approx(pipeline_time(PipelineSchedule::gpipe, forward, backward, micro_batches).value));
  }
}

TEST_CASE("pipeline: gpipe computes again while it waits for gradients") {
  PipelineCase each = case_of("gpt2:layers=8,vocabulary=64", 4, 4, PipelineSchedule::gpipe);
  each.plan.recompute = Recompute::full;
  each.pipeline.first_layers = {0, 4 + 2 * 12, 4 + 4 * 12, 4 + 6 * 12};  // two layers each
  const auto run = run_graph(each.graph(), flop_of);
  each.plan.recompute = Recompute::off;
  const auto kept = run_graph(each.graph(), flop_of);
  // Of the forward passes once more, only those of one stage show: m f, not (m + p - 1) f.
  const double forward = 2.0 * double(each.model.model.macs()) / 4 * 2;
  CHECK(run.length - kept.length == Approx(4 * forward).epsilon(0.01));
}

TEST_CASE(
    "pipeline: tensor ranks send a part each of what they all hold, as with sequence parallelism, and gather it") {
  struct Sent {
    int transfers = 0, gathers = 0;
    double transferred = 0, gathered = 0;
  };
  const auto sent = [](bool sequence) {
    PipelineCase each = case_of("gpt2:layers=4", 2, 4, PipelineSchedule::one_f_one_b);
    each.plan.parallelism[Axis::tensor] = 4;
    each.model = split_tensor(std::move(each.model), 4, sequence, false);
    const StepGraph graph = each.graph();
    Sent sum;
    for (StepVertex v = 0; v < graph.size(); ++v) {
      const StepNode& node = graph[v];
      if (node.kind == NodeKind::transfer && node.part != StepPart::gradient_exchange) {
        ++sum.transfers;
        sum.transferred += node.payload.value;
      } else if (node.name.find("parts of") != std::string::npos) {
        CHECK(node.role == (node.part == StepPart::forward ? 1 : 0));
        ++sum.gathers;
        sum.gathered += node.payload.value;
      }
    }
    return sum;
  };
  const Sent whole = sent(false), tokens = sent(true);
  CHECK(whole.transfers == 4 * 2);  // micro-batches, passes
  CHECK(whole.transferred == tokens.transferred);
  CHECK(whole.gathers == whole.transfers);
  CHECK(whole.gathered == 4 * 2 * 2 * (2 * 1024.0 * 768));  // each of two samples of 16 bits
  CHECK(whole.gathered == 4 * whole.transferred);
  CHECK(tokens.gathers == 0);
}

TEST_CASE("pipeline: exchanges inside a stage hold up its next kernels") {
  PipelineCase each = case_of("gpt2:layers=4", 2, 4, PipelineSchedule::one_f_one_b);
  each.plan.parallelism[Axis::tensor] = 2;
  LayerExchange exchange;
  exchange.axes = Axis::tensor;
  exchange.elements_per_sample = 1024 * 768;
  for (std::size_t i = 0; i < each.model.model.layers.size(); ++i) {
    if (!each.model.model.layers[i].scores_heads()) continue;
    exchange.layer = static_cast<int>(i);
    exchange.moment = Moment::after_forward;
    each.model.exchanges.push_back(exchange);
    exchange.moment = Moment::before_backward;
    each.model.exchanges.push_back(exchange);
  }
  const StepGraph graph = each.graph();
  double said = 0;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    if (graph[v].kind != NodeKind::collective || graph[v].stream != Stream::exchange) continue;
    CHECK(graph[v].axes == AxisSet(Axis::tensor));
    said += graph[v].payload.value * graph[v].repeats;
  }
  CHECK(said == 4 * 4 * 2 * (2 * 2 * 1024.0 * 768));  // layers, micro-batches, passes, bytes
  const auto run = run_graph(graph, [](const StepNode& node) {
    return node.kind == NodeKind::kernel_sequence || node.stream == Stream::exchange ? 1.0 : 0.0;
  });
  // Two exchanges a pass and stage, on every stage's critical path.
  for (StepVertex v = 0; v < graph.size(); ++v) {
    if (graph[v].kind != NodeKind::collective) continue;
    for (StepVertex w = v + 1; w < graph.size(); ++w) {
      if (graph[w].role != graph[v].role || graph[w].kind != NodeKind::kernel_sequence) continue;
      CHECK(run.start[w] >= run.end[v]);
    }
  }
}

TEST_CASE("pipeline: gradients leave behind the part of the last backward pass that completes them") {
  PipelineCase each = case_of("gpt2", 2, 4, PipelineSchedule::one_f_one_b);
  each.plan.parallelism[Axis::data] = 4;
  const StepGraph graph = each.graph();
  double sent = 0;
  int early = 0;
  const auto run = run_graph(graph, flop_of);
  for (StepVertex v = 0; v < graph.size(); ++v) {
    if (graph[v].kind != NodeKind::collective) continue;
    CHECK(graph[v].axes == AxisSet(Axis::data));
    sent += graph[v].payload.value;
    double last_backward = 0;
    for (StepVertex w = 0; w < graph.size(); ++w) {
      if (graph[w].role == graph[v].role && graph[w].part == StepPart::backward) last_backward = run.end[w];
    }
    early += run.start[v] < last_backward ? 1 : 0;
  }
  const double table = 50257.0 * 768;
  CHECK(sent == Approx(4 * (double(each.model.model.parameters()) + table)));
  CHECK(early >= 8);
}

TEST_CASE("pipeline: one stage is the step of one rank") {
  const PipelineCase each = case_of("resnet50", 1, 4, PipelineSchedule::one_f_one_b);
  const StepGraph graph = each.graph();
  CHECK(count(graph, NodeKind::transfer) == 0);
  CHECK(run_graph(graph, flop_of).length == Approx(run_graph(lower(each.model, each.plan), flop_of).length));
}

TEST_CASE("pipeline: micro-batches that do not divide the batch") {
  PipelineCase each = case_of("gpt2", 2, 8, PipelineSchedule::one_f_one_b);
  each.plan.batch_per_accelerator = 100;
  CHECK_THROWS_AS(each.graph(), Infeasible);
  CHECK_THROWS_WITH(each.graph(), ContainsSubstring("10 do") && ContainsSubstring("a batch of 104"));
}
