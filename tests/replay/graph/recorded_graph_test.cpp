// What waits for what in a recorded step, and the same step run with other times.
#include "replay/graph/recorded_graph.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "replay/graph/graph_run.hpp"
#include "replay/graph/replayed_run.hpp"
#include "replay/toy_trace.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kReduce = R"(, "Collective name": "allreduce", "In msg nelems": 1000000, "Out msg nelems": 1000000,
"dtype": "Float", "Group size": 2)";

// Forward and backward; an all-reduce beside the rest of the backward pass; an update that waits for it.
ToyTrace toy_step(int rank = 0, double late = 0) {
  ToyTrace trace(rank, 2);
  trace.step(7, 0, 400).kernel("forward", 10, 10).kernel("forward", 30, 10).kernel("forward", 50, 50);
  trace.kernel("backward", 101, 99, 45);
  trace.kernel("ncclDevKernel_AllReduce", 205 + late, 145 - late, 100 + late, 20, kReduce);
  trace.kernel("backward", 201, 59, 90).kernel("update", 352, 30, 80);
  return trace;
}

double us(Seconds time) { return time.value * 1e6; }

Seconds step_time(const RecordedRun& run) { return run.ranks.front().trace.steps.front().time; }

ReplayChange with_collectives_of(double us) {
  ReplayChange change;
  change.collective = [us](const RecordedCollective&) { return std::optional(microseconds(us)); };
  return change;
}

}  // namespace

TEST_CASE("a collective waits for the kernels launched before it, and a late kernel for the collective") {
  const ScratchFolder folder;
  const RankTrace trace = load_rank_trace(toy_step().in(folder));
  const RecordedGraph graph = recorded_graph(trace, 0);
  REQUIRE(graph.nodes.size() == 7);
  CHECK(graph.streams == 2);
  const auto name_of = [&](std::size_t node) { return trace.names[trace.spans[graph.nodes[node].span].name]; };
  for (const RecordedNode& node : graph.nodes) {
    const RecordedSpan& span = trace.spans[node.span];
    if (span.collective) {
      REQUIRE(node.producers.size() == 1);
      CHECK(name_of(node.producers.front()) == "backward");
      CHECK(us(trace.spans[graph.nodes[node.producers.front()].span].end()) == Approx(200).margin(0.1));
    } else if (trace.names[span.name] == "update") {
      REQUIRE(node.producers.size() == 1);
      CHECK(name_of(node.producers.front()) == "ncclDevKernel_AllReduce");
    } else {
      CHECK(node.producers.empty());
    }
    CHECK(us(node.unexplained) == 0);
  }
}

TEST_CASE("a replay by the recorded times takes the recorded step") {
  const ScratchFolder folder;
  const RecordedRun run = recorded_run({load_rank_trace(toy_step().in(folder))});
  const Replay replay(run);
  CHECK(us(replay.recorded_step(0)) == Approx(400));
  const RecordedRun again = replay.replayed();
  CHECK(us(step_time(again)) == Approx(400).epsilon(0.02));
  CHECK(us(again.ranks[0].sums[0].compute) == Approx(258).epsilon(0.001));
  CHECK(us(again.ranks[0].sums[0].overlapped) == Approx(59).margin(6));
}

TEST_CASE("a slower collective holds back what waits for it, and a quicker one frees what it can") {
  const ScratchFolder folder;
  const RecordedRun run = recorded_run({load_rank_trace(toy_step().in(folder))});
  const Replay replay(run);
  // 169 us of kernels before the all-reduce and 30 behind it stand in its way, until it lasts longer than the host.
  CHECK(us(step_time(replay.replayed(with_collectives_of(1145)))) == Approx(1145 + 169 + 30).margin(10));
  CHECK(us(step_time(replay.replayed(with_collectives_of(1)))) == Approx(400).epsilon(0.02));
}

TEST_CASE("waiting of the host is no work: a copy to it ends first, and a long launch waited for room") {
  const ScratchFolder folder;
  ToyTrace copying;
  copying.step(1, 0, 1000);
  for (int i = 0; i < 4; ++i) copying.kernel("short", 10 + 20 * i, 5);
  copying.kernel("long", 100, 700);
  copying.raw(
      R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "tid": 1, "pid": 1, "ts": 1700000000000110.0, "dur": 695.0, "args": {"correlation": 99}})");
  copying.raw(
      R"({"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH", "tid": 7, "pid": 1, "ts": 1700000000000801.0, "dur": 2.0, "args": {"stream": 7, "correlation": 99}})");
  copying.kernel("after", 850, 10, 7);
  const RankTrace trace = load_rank_trace(copying.in(folder));
  const RecordedGraph graph = recorded_graph(trace, 0);
  const RecordedNode& after = graph.nodes.back();
  CHECK(trace.names[trace.spans[after.span].name] == "after");
  REQUIRE(after.awaited);
  CHECK(trace.spans[graph.nodes[*after.awaited].span].kind == RecordedKind::copy);
  CHECK(us(*after.host) == Approx(40).margin(0.5));

  // Half of the kernels' time frees the host as much earlier.
  const RecordedRun run = recorded_run({trace});
  ReplayChange half;
  half.compute = 0.5;
  CHECK(us(step_time(Replay(run).replayed(half))) == Approx(1000 - 350).margin(30));
}

TEST_CASE("all ranks begin a collective when the last of them arrives") {
  const ScratchFolder folder;
  const RecordedRun run =
      recorded_run(load_traces({toy_step(0).in(folder, "rank0.json"), toy_step(1, 40).in(folder, "rank1.json")}));
  const Replay replay(run);
  const RecordedSpan* collective = nullptr;
  for (const RecordedSpan& span : run.ranks[0].trace.spans)
    if (span.collective) collective = &span;
  CHECK(us(replay.recorded_time(0, *collective).of_itself) == Approx(105).margin(1));
  CHECK(us(replay.recorded_time(0, *collective).waiting) == 0);
  const RecordedRun again = replay.replayed();
  ReplayChange slow;
  slow.slowdowns = {{1, 2.0}};
  const RecordedRun slowed = replay.replayed(slow);
  // Rank 1's kernels before the all-reduce take 169 us more, and rank 0 waits as long in it.
  CHECK(us(slowed.ranks[0].sums[0].collective - again.ranks[0].sums[0].collective) == Approx(169).margin(25));
  CHECK(us(slowed.ranks[0].sums[0].compute) == Approx(us(again.ranks[0].sums[0].compute)));
}

TEST_CASE("one recorded rank waits for a slow one of its job that is not recorded") {
  const ScratchFolder folder;
  const RecordedRun run = recorded_run({load_rank_trace(toy_step().in(folder))});
  ReplayChange slow;
  slow.slowdowns = {{1, 3.0}};
  const Replay replay(run);
  const RecordedRun slowed = replay.replayed(slow);
  CHECK(slowed.ranks.size() == 1);
  CHECK(us(slowed.ranks[0].sums[0].compute) == Approx(258).epsilon(0.001));
  CHECK(step_time(slowed) > 1.5 * step_time(replay.replayed()));
}

TEST_CASE("ranks that stand at different collectives are refused, as are those that recorded different ones") {
  const ScratchFolder folder;
  RankTrace first = load_rank_trace(toy_step(0).in(folder, "rank0.json"));
  RankTrace second = load_rank_trace(toy_step(1).in(folder, "rank1.json"));
  for (RecordedSpan& span : second.spans)
    if (span.collective) span.collective->kind = CollectiveKind::all_gather;
  CHECK_THROWS_WITH(Replay(recorded_run({first, second})), ContainsSubstring("did not record the same collectives"));

  const RecordedGraph a = recorded_graph(first, 0), b = recorded_graph(second, 0);
  const RankGroups groups(2, 0, {2});
  const SpanTime as_recorded = [](std::size_t, const RecordedSpan& span) { return span.duration; };
  CHECK_THROWS_WITH(run_graphs({{&first, &a, 0, {}}, {&second, &b, 1, {}}}, groups, as_recorded, 1),
                    ContainsSubstring("wait for each other in different collectives"));
}

TEST_CASE("groups are of neighbours, but for those that lie across whole nodes") {
  const RankGroups groups(16, 8, {2, 8, 16});
  CHECK(groups.members(3, 8) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(groups.members(11, 2) == std::vector<int>{3, 11});
  CHECK(groups.members(5, 0).size() == 16);
  CHECK(groups.all(2).size() == 8);
  const RankGroups pairs(16, 8, {2});
  CHECK(pairs.members(11, 2) == std::vector<int>{10, 11});
}

TEST_CASE("of a few ranks of a job, what a collective waited for the others is kept, and is not its own time") {
  const ScratchFolder folder;
  // Two steps of ranks 0 and 3 of 8: the all-reduce takes 20 us of itself, in the second step 50 us more for a rank
  // that is not recorded.
  const auto rank = [&](int r) {
    ToyTrace trace(r, 8);
    for (int s = 0; s < 3; ++s) {
      const double at = 300 * s;
      trace.step(s, at, 300).kernel("gemm", at + 10, 100);
      trace.kernel("ncclDevKernel_AllReduce", at + 112, s == 1 ? 70 : 20, 60, 20,
                   R"(, "Collective name": "allreduce", "In msg nelems": 1000, "dtype": "Float", "Group size": 8)");
      trace.kernel("update", at + 190, 80 - (s == 2 ? 5 : 0), 20);
    }
    return trace.in(folder, "rank" + std::to_string(r) + ".json");
  };
  const RecordedRun run = recorded_run(load_traces({rank(0), rank(3)}));
  const Replay replay(run);
  CHECK(replay.groups().ranks() == 8);
  for (const RecordedSpan& span : run.ranks[1].trace.spans) {
    if (!span.collective || span.step != replay.step()) continue;
    CHECK(us(replay.recorded_time(1, span).of_itself) == Approx(20).margin(0.5));
    CHECK(us(replay.recorded_time(1, span).waiting) == Approx(replay.step() == 1 ? 50 : 0).margin(0.5));
  }
  CHECK(us(step_time(replay.replayed())) == Approx(us(replay.recorded_step(0))).epsilon(0.03));
}
