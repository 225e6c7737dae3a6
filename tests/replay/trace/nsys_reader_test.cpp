// Exports of nsys become the same trace that Kineto's files of the same run do.
#include "replay/trace/trace_reader.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "replay/toy_nsys.hpp"
#include "replay/toy_trace.hpp"
#include "replay/trace/rank_trace.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string nsys_refusal(const std::string& path) {
  try {
    load_rank_trace(path);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("an export of nsys and Kineto's trace of the same facts are one RankTrace") {
  const ScratchFolder folder;
  ToyTrace kineto;
  ToyNsys nsys;
  for (const int i : {0, 1}) {
    const double begin = 100 * i;
    kineto.step(4 + i, begin, 90).kernel("void gemm<float>", begin + 10, 40);
    nsys.range("step " + std::to_string(4 + i), begin, 90).kernel("void gemm<float>", begin + 10, 40);
    kineto.around("user_annotation", "nccl:all_reduce", begin + 15, 9, "");
    nsys.range("nccl:all_reduce", begin + 15, 9);
    kineto.kernel("ncclKernel_SendRecv_RING", begin + 40, 20, 20, 8);
    nsys.kernel("ncclKernel_SendRecv_RING", begin + 40, 20, 20, 8);
  }
  const RankTrace one = load_rank_trace(kineto.in(folder, "rank0.json")), other = load_rank_trace(nsys.in(folder));
  CHECK(other.device == one.device);
  CHECK(other.rank == 0);
  REQUIRE(other.steps.size() == one.steps.size());
  for (std::size_t i = 0; i < one.steps.size(); ++i) {
    CHECK(other.steps[i].number == one.steps[i].number);
    CHECK(other.steps[i].time.value == Approx(one.steps[i].time.value).margin(1e-6));
  }
  REQUIRE(one.spans.size() == 4);
  REQUIRE(other.spans.size() == one.spans.size());
  for (std::size_t i = 0; i < one.spans.size(); ++i) {
    const RecordedSpan &a = one.spans[i], &b = other.spans[i];
    CHECK(one.names[a.name] == other.names[b.name]);
    CHECK(a.kind == b.kind);
    CHECK(a.stream == b.stream);
    CHECK(a.step == b.step);
    CHECK(a.collective == b.collective);
    CHECK(b.begin.value == Approx(a.begin.value).margin(1e-6));
    CHECK(b.duration.value == Approx(a.duration.value).margin(1e-6));
    REQUIRE(b.launch.has_value());
    CHECK(b.launch->value == Approx(a.launch->value).margin(1e-6));
  }
  CHECK(other.spans[1].collective->kind == CollectiveKind::all_reduce);
}

TEST_CASE("copies and fills are read, tables that are absent are empty, and a file without ranges is one step") {
  const ScratchFolder folder;
  const RankTrace trace = load_rank_trace(ToyNsys().copy(10, 4).fill(20, 2).in(folder));
  REQUIRE(trace.spans.size() == 2);
  CHECK(trace.spans[0].kind == RecordedKind::copy);
  CHECK(trace.names[trace.spans[0].name] == "Memcpy HtoD");
  CHECK(trace.spans[1].kind == RecordedKind::fill);
  CHECK(trace.steps.size() == 1);
  CHECK(trace.steps[0].time.value == Approx(17e-6).margin(1e-9));  // from the first launch, 5 us ahead, to 22 us
  CHECK(trace.warnings.size() == 1);
}

TEST_CASE("the step is the outermost range that repeats, whatever it is called") {
  const ScratchFolder folder;
  ToyNsys nsys;
  nsys.range("training", 0, 300);
  for (const int i : {0, 1, 2}) {
    nsys.range("iteration", 100 * i, 95).range("forward", 100 * i + 1, 40).range("backward", 100 * i + 42, 50);
    nsys.kernel("gemm", 100 * i + 10, 20);
  }
  const RankTrace trace = load_rank_trace(nsys.in(folder));
  REQUIRE(trace.steps.size() == 3);
  CHECK(trace.steps[2].number == 2);
  CHECK(trace.steps[0].time.value == Approx(100e-6).margin(1e-8));
  CHECK(trace.spans[2].step == 2);
}

TEST_CASE("an export that is damaged, empty or of several accelerators is refused with its file") {
  const ScratchFolder folder;
  const std::string whole = ToyNsys().kernel("gemm", 10, 20).in(folder);
  const std::string cut = folder.file("cut.sqlite", text_of(whole).substr(0, 700));
  CHECK_THAT(nsys_refusal(cut), ContainsSubstring(cut + ": is no whole SQLite file"));
  CHECK_THAT(nsys_refusal(ToyNsys().range("step 1", 0, 5).in(folder, "b.sqlite")),
             ContainsSubstring("has nothing of an accelerator"));
  CHECK_THAT(nsys_refusal(ToyNsys().kernel("a", 10, 5, 5, 7, 0).kernel("a", 20, 5, 5, 7, 1).in(folder, "c.sqlite")),
             ContainsSubstring("holds 2 accelerators"));
  CHECK_THAT(nsys_refusal(ToyNsys().kernel("a", std::int64_t{1} << 61, 5).in(folder, "e.sqlite")),
             ContainsSubstring(" ns, which no run has"));
  CHECK_THAT(nsys_refusal(ToyNsys().kernel("a", 10, -5).in(folder, "d.sqlite")),
             ContainsSubstring("\"a\" ends before it begins"));
}
