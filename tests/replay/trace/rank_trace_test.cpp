// One rank's trace as steps, kernels and collectives.
#include "replay/trace/rank_trace.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "replay/toy_trace.hpp"
#include "replay/trace/recorded_run.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr double kUs = 1e-6;

bool is_us(Seconds time, double us) { return time.value == Approx(us * kUs).margin(0.3 * kUs); }

// Two steps: 40 us of kernels, an all-reduce of 20 us half under them.
ToyTrace two_steps(int rank = 0, int ranks = 1) {
  ToyTrace trace(rank, ranks);
  for (const int i : {0, 1}) {
    const double begin = 100 * i;
    trace.step(4 + i, begin, 90);
    trace.kernel("gemm", begin + 10, 40);
    trace.around("cpu_op", "c10d::allreduce_", begin + 30, 8, R"("Input Dims": [[]], "Input type": ["TensorList"])");
    trace.around("user_annotation", "nccl:all_reduce", begin + 31, 6,
                 R"("Input Dims": [[1000]], "Input type": ["float"])");
    trace.kernel("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t", begin + 40, 20, 8, 20);
  }
  return trace;
}

std::string load_refusal(const std::vector<std::string>& paths) {
  try {
    load_traces(paths);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a step takes from the end of the work before to the end of its own, split by what runs") {
  const ScratchFolder folder;
  const RankTrace trace = load_rank_trace(two_steps().in(folder));
  REQUIRE(trace.steps.size() == 2);
  CHECK(trace.steps[0].number == 4);
  CHECK(is_us(trace.steps[0].time, 100));  // to the next one's begin, as the host is behind
  CHECK(is_us(trace.steps[1].time, 100));  // from 60 to 160 us
  const auto sums = step_sums(trace);
  for (const StepSums& s : sums) {
    CHECK(is_us(s.compute, 40));
    CHECK(is_us(s.collective, 20));
    CHECK(is_us(s.overlapped, 10));
    CHECK(is_us(s.exposed, 10));
    CHECK(s.kernels == 1);
    CHECK(s.collectives == 1);
    CHECK((s.compute + s.exposed).value == Approx(s.busy.value));
  }
  CHECK(is_us(sums[0].idle, 50));
}

TEST_CASE("a collective is what the annotation round its launch says, not what its kernel is called") {
  const ScratchFolder folder;
  const auto times = collective_times(load_rank_trace(two_steps().in(folder)));
  REQUIRE(times.size() == 1);
  CHECK(times[0].collective.kind == CollectiveKind::all_reduce);
  CHECK(times[0].collective.payload == Bytes(4000));
  CHECK(times[0].times.size() == 2);
}

TEST_CASE("newer profilers say kind, size and group on the kernel") {
  const ScratchFolder folder;
  const std::string args = R"(, "Collective name": "_allgather_base", "In msg nelems": 100, "Out msg nelems": 800,
 "Group size": 8, "dtype": "BFloat16", "Process Group Name": "3")";
  const auto trace =
      load_rank_trace(ToyTrace().step(1, 0, 90).kernel("ncclDevKernel_Generic", 10, 20, 5, 20, args).in(folder));
  REQUIRE(trace.spans.size() == 1);
  CHECK(*trace.spans[0].collective == RecordedCollective{CollectiveKind::all_gather, Bytes(1600), 8, "3"});
}

TEST_CASE("kernels of symmetric memory, DeepEP and inference engines are exchanges, by their operator or their name") {
  const ScratchFolder folder;
  ToyTrace trace(0, 8);
  trace.step(1, 0, 200);
  trace.around("cpu_op", "symm_mem::multimem_all_reduce_", 4, 8,
               R"("Input Dims": [[64, 32]], "Input type": ["c10::BFloat16"])");
  trace.kernel("void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)", 10, 7);
  trace.kernel("void deep_ep::internode::dispatch<false, 8>(int4*)", 20, 11);
  trace.kernel("void dpsk::ep::internode::cached_notify<false>(int)", 40, 3);
  trace.kernel("void deep_ep::layout::get_dispatch_layout<256>(long const*)", 50, 2);
  trace.kernel("void vllm::cross_device_reduce_1stage<float, 8>(int)", 60, 5);
  trace.around("cpu_op", "c10d::allreduce_", 64, 30, R"("Input Dims": [[]], "Input type": ["TensorList"])");
  trace.kernel("own_exchange(float*)", 70, 9);
  trace.kernel("void at::native::vectorized_elementwise_kernel<4>(int)", 85, 1);
  trace.around("cpu_op", "symm_mem::fused_all_gather_matmul", 94, 30, "");
  trace.kernel("sm90_gemm", 100, 13);
  trace.kernel("void softmax_warp_all_reduce<int>(float*)", 120, 2).kernel("layer_norm<allreduce>(float*)", 130, 2);
  const RankTrace read = load_rank_trace(trace.in(folder));
  const StepSums sums = step_sums(read).at(0);
  CHECK(sums.collectives == 5);
  CHECK(is_us(sums.collective, 7 + 11 + 3 + 5 + 9));
  CHECK(is_us(sums.compute, 2 + 1 + 13 + 2 + 2));
  CHECK(*read.spans[0].collective == RecordedCollective{CollectiveKind::all_reduce, Bytes(64 * 32 * 2), 0, ""});
  CHECK(read.spans[1].collective->kind == CollectiveKind::all_to_all);
  CHECK(read.spans[2].collective->kind == CollectiveKind::all_to_all);
  CHECK(read.spans[4].collective->kind == CollectiveKind::all_reduce);
  CHECK(read.spans[5].collective->kind == CollectiveKind::all_reduce);
  CHECK(read.warnings.empty());
}

TEST_CASE("a job of several ranks without any exchange is told of") {
  const ScratchFolder folder;
  const auto warnings = [&](int ranks) {
    return load_rank_trace(ToyTrace(0, ranks).step(1, 0, 50).kernel("gemm", 10, 20).in(folder)).warnings;
  };
  REQUIRE(warnings(64).size() == 1);
  CHECK_THAT(warnings(64)[0], ContainsSubstring("0 exchanges of a job of 64 ranks"));
  CHECK(warnings(1).empty());
}

TEST_CASE("an older gather's group is the ratio of its buffers") {
  const ScratchFolder folder;
  const auto trace =
      load_rank_trace(ToyTrace()
                          .step(1, 0, 90)
                          .around("cpu_op", "c10d::_reduce_scatter_base_", 4, 4,
                                  R"("Input Dims": [[16, 4], [64, 4]], "Input type": ["float", "float"])")
                          .around("user_annotation", "nccl:_reduce_scatter_base", 4.5, 3,
                                  R"("Input Dims": [[64, 4]], "Input type": ["float"])")
                          .kernel("ncclKernel_ReduceScatter_RING_LL_Sum_float", 10, 20)
                          .in(folder));
  REQUIRE(trace.spans.size() == 1);
  CHECK(*trace.spans[0].collective == RecordedCollective{CollectiveKind::reduce_scatter, Bytes(1024), 4, ""});
}

TEST_CASE("kernels belong to the step that asked for them, also where the host runs ahead") {
  const ScratchFolder folder;
  const auto trace = load_rank_trace(
      ToyTrace().step(1, 0, 20).step(2, 20, 20).kernel("late", 150, 30, 145).kernel("later", 180, 30, 150).in(folder));
  REQUIRE(trace.spans.size() == 2);
  CHECK(trace.spans[0].step == 0);
  CHECK(trace.spans[1].step == 1);
}

namespace {

// A host that runs far ahead: windows of 20 us, the accelerator takes 3 kernels of 40 us a step and 7 us to copy. The
// copies' stream has work from before the recording, as has the kernels': they were busy until 90 us.
ToyTrace ahead(int steps, bool left_over) {
  ToyTrace trace;
  if (left_over) {
    for (int i = 0; i < 3; ++i) trace.unlaunched("before", 30 * i, 30);
    trace.unlaunched("before", 10, 20, 9);
  }
  double at = 90;
  for (int s = 0; s < steps; ++s) {
    trace.step(3 + s, 20 * s, 20);
    for (int k = 0; k < 3; ++k, at += 40) trace.kernel("gemm", at, 40, at - (20 * s + 3 * k + 1));
    trace.kernel("last", at, 7, at - (20 * s + 15), 9);
    trace.unlaunched("of a graph", at, 5);
    at += 10;
  }
  return trace;
}

}  // namespace

TEST_CASE("where the host runs ahead a step is the distance of the ends of the work launched in it") {
  const ScratchFolder folder;
  const RankTrace trace = load_rank_trace(ahead(3, true).in(folder));
  REQUIRE(trace.steps.size() == 3);
  // Steps end at 90 + 120 + 7, and 130 us later each; the first began when the accelerator was free, at 90.
  CHECK(is_us(trace.steps[0].time, 127));
  CHECK(is_us(trace.steps[1].time, 130));
  CHECK(is_us(trace.steps[2].time, 130));
  CHECK(is_us(trace.steps[1].window, 20));
  for (const StepSums& sums : step_sums(trace)) {
    CHECK(sums.kernels == 5);
    CHECK(is_us(sums.busy, 127));
  }
  REQUIRE(trace.warnings.size() == 1);
  CHECK_THAT(trace.warnings[0], ContainsSubstring("4 kernels and copies are left from before the recording"));

  const RankTrace fresh = load_rank_trace(ahead(1, false).in(folder));
  CHECK(is_us(fresh.steps[0].time, 217));
  CHECK(fresh.warnings.empty());
  CHECK(recorded_run({fresh}).ranks[0].trace.warnings.empty());
}

TEST_CASE("the typical step has work and is not the first; parts that are longer than their step are told of") {
  const ScratchFolder folder;
  ToyTrace steps = ahead(2, true);
  steps.step(5, 400, 30);
  const RecordedRun run = recorded_run({load_rank_trace(steps.in(folder))});
  CHECK(run.ranks[0].typical_step == 1);
  // The second step's communication begins while the first one's kernel still runs, and ends 10 us behind it.
  const RecordedRun beside = recorded_run({load_rank_trace(ToyTrace()
                                                               .step(1, 0, 20)
                                                               .step(2, 20, 20)
                                                               .kernel("long", 30, 100, 25)
                                                               .kernel("ncclKernel_AllReduce", 60, 80, 30, 20)
                                                               .in(folder))});
  const RecordedRank& rank = beside.ranks[0];
  CHECK(is_us(rank.trace.steps[1].time, 10));
  REQUIRE(rank.trace.warnings.size() == 1);
  CHECK_THAT(rank.trace.warnings[0], ContainsSubstring("of 1 of 2 steps the parts are longer than the step"));
}

TEST_CASE("a file without steps is one and says so; an idle accelerator is bound by its host") {
  const ScratchFolder folder;
  const RecordedRun run = recorded_run({load_rank_trace(ToyTrace().kernel("a", 10, 5).kernel("b", 90, 5).in(folder))});
  const RecordedRank& rank = run.ranks.front();
  REQUIRE(rank.trace.warnings.size() == 1);
  CHECK_THAT(rank.trace.warnings[0], ContainsSubstring("no ProfilerStep"));
  CHECK(is_us(rank.trace.steps[0].time, 90));
  CHECK(host_bound(rank));
  CHECK_FALSE(
      host_bound(recorded_run({load_rank_trace(ToyTrace().step(1, 0, 50).kernel("a", 10, 40).in(folder))}).ranks[0]));
}

TEST_CASE("ranks come once each, all or a few, by the file's word or its name") {
  const ScratchFolder folder;
  const std::string first = two_steps(0, 2).in(folder, "a.json"), second = two_steps(1, 2).in(folder, "b.json");
  CHECK(load_traces({second, first})[0].rank == 0);
  CHECK(load_traces({second}).size() == 1);
  CHECK_THAT(load_refusal({first, first}), ContainsSubstring("is of rank 0, as "));
  CHECK_THAT(load_refusal({first, two_steps(1, 4).in(folder, "c.json")}), ContainsSubstring("of a job of 4 ranks"));
  const auto few = load_traces({two_steps(3, 4).in(folder, "e.json"), two_steps(1, 4).in(folder, "d.json")});
  REQUIRE(few.size() == 2);
  CHECK(few[1].rank == 3);
  for (const RankTrace& each : few) {
    REQUIRE(each.warnings.size() == 1);
    CHECK_THAT(each.warnings[0], ContainsSubstring("of a job of 4 ranks 2 are not recorded (0, 2)"));
  }
  CHECK(run_warnings(recorded_run(few)).size() == 1);
  CHECK_THAT(load_refusal({two_steps(0, 4).in(folder, "d.json"), two_steps(5, 4).in(folder, "f.json")}),
             ContainsSubstring("is of rank 5 in a job of 4"));
  const std::string bare = "[" + two_steps().events() + "]";
  CHECK(load_rank_trace(file_with(folder, "worker5_step.json", bare)).rank == 5);
  CHECK(load_rank_trace(file_with(folder, "rank-12.json", bare)).rank == 12);
  CHECK_FALSE(load_rank_trace(file_with(folder, "plain.json", bare)).rank.has_value());
}

TEST_CASE("clocks that go backwards, steps that stand twice and files without an accelerator are refused") {
  const ScratchFolder folder;
  CHECK_THAT(load_refusal({ToyTrace().step(2, 0, 50).step(1, 60, 50).kernel("a", 10, 5).in(folder)}),
             ContainsSubstring("the clock goes backwards"));
  CHECK_THAT(load_refusal({ToyTrace().step(1, 0, 50).kernel("a", 10, -5).in(folder)}),
             ContainsSubstring("\"a\" ends before it begins"));
  CHECK_THAT(load_refusal({ToyTrace().step(1, 0, 50).step(1, 60, 50).kernel("a", 10, 5).in(folder)}),
             ContainsSubstring("step 1 stands twice"));
  CHECK_THAT(load_refusal({ToyTrace().step(1, 0, 50).in(folder)}), ContainsSubstring("has nothing of an accelerator"));
}

TEST_CASE("a collective takes from the last rank's begin on, whatever the ranks' clocks say") {
  const ScratchFolder folder;
  // The second rank comes 30 us late to a collective that takes 10; its clock is 1 s off.
  const auto rank = [&](int r, double off, double begin) {
    ToyTrace trace(r, 2);
    trace.step(1, off, 200);
    for (const double at : {0.0, 100.0}) {
      const double end = off + at + 90;
      trace.around("user_annotation", "nccl:all_reduce", off + at + begin - 8, 6,
                   R"("Input Dims": [[1000]], "Input type": ["float"])");
      trace.kernel("ncclKernel_AllReduce", off + at + begin, end - (off + at + begin), 7, 20);
    }
    return trace.in(folder, "rank" + std::to_string(r) + ".json");
  };
  const auto alignment = aligned_collectives(load_traces({rank(0, 0, 50), rank(1, 1e6, 80)}));
  REQUIRE(alignment);
  REQUIRE(alignment->collectives.size() == 2);
  CHECK(is_us(alignment->disagreement, 0));
  for (const AlignedCollective& each : alignment->collectives) {
    CHECK(is_us(each.time, 10));
    CHECK(is_us(each.waited, 30));
    CHECK(each.last_rank == 1);
  }
  CHECK_FALSE(aligned_collectives(load_traces({two_steps().in(folder)})));
}

TEST_CASE("clocks are set by collectives of all ranks, not by those of groups with other names") {
  const ScratchFolder folder;
  // Both ranks end the job's all-reduce at 60; their own groups' end at 100 and at 180.
  const auto rank = [&](int r, const std::string& group, double end) {
    const auto args = [](const std::string& name) {
      return R"(, "Collective name": "allreduce", "In msg nelems": 8, "dtype": "Float", "Process Group Name": ")" +
             name + "\"";
    };
    ToyTrace trace(r, 4);
    trace.step(1, 0, 300).kernel("ncclDevKernel_AllReduce", 50 + r, 10 - r, 5, 20, args("0"));
    for (int i = 0; i < 2; ++i)
      trace.kernel("ncclDevKernel_AllReduce", 70 + 5 * i, end - 75 + 5 * i, 5, 21 + i, args(group));
    return trace.in(folder, "rank" + std::to_string(r) + ".json");
  };
  const auto alignment = aligned_collectives(load_traces({rank(0, "1", 100), rank(2, "2", 180)}));
  REQUIRE(alignment);
  CHECK(is_us(alignment->offsets[1], 0));
  REQUIRE(alignment->collectives.size() == 1);
  CHECK(is_us(alignment->collectives[0].time, 8));
  CHECK(alignment->collectives[0].last_rank == 2);
}
