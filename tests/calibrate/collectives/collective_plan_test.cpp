#include "calibrate/collectives/collective_plan.hpp"

#include <set>

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

CollectiveChoices all_reduce() {
  CollectiveChoices choices;
  choices.kinds = {CollectiveKind::all_reduce};
  choices.libraries = {"mpi"};
  choices.precisions = {Precision::fp32};
  choices.sizes = "quick";
  return choices;
}

MeasureReply reply(const std::string& subject, double bytes, double seconds) {
  MeasureReply made;
  made.subject = subject;
  made.bytes = Bytes(bytes);
  made.time = {Seconds(seconds), Seconds(seconds), Seconds(seconds), 10, 0};
  return made;
}

}  // namespace

TEST_CASE("every kind, library and precision is measured at every size") {
  CollectiveChoices choices = all_reduce();
  const std::size_t sizes = collective_plan(choices).measurements.size();
  choices.kinds = measured_kinds();
  choices.libraries = {"mpi", "nccl"};
  choices.precisions = {Precision::fp32, Precision::fp16};
  const MeasurePlan plan = collective_plan(choices);
  CHECK(plan.measurements.size() == 6 * 2 * 2 * sizes);
  std::set<std::string> subjects;
  for (const auto& each : plan.measurements) {
    CHECK(subjects.insert(each.order.subject).second);
    const CollectiveSubject subject = parse_collective_subject(each.order.subject);
    CHECK(subject.device == (subject.communicator == "nccl" ? "cuda" : "cpu"));
  }
}

TEST_CASE("task 0 repeats each size 100 times, whatever the noise") {
  CollectiveChoices choices = all_reduce();
  choices.sizes = "task0";
  const auto plan = collective_plan(choices);
  CHECK(plan.measurements.size() == 80);
  for (const auto& each : plan.measurements) {
    CHECK(each.order.rule.min_samples == 100);
    CHECK(each.order.rule.max_samples == 100);
  }
}

TEST_CASE("a list of sizes is cut to what lies between the smallest and the largest, and one must be left") {
  CollectiveChoices choices = all_reduce();
  choices.smallest = Bytes(4096);
  choices.largest = Bytes(65536);
  const auto cut = collective_plan(choices).measurements;
  CHECK(cut.size() == 3);  // 4, 16 and 64 KiB
  for (const auto& each : cut) {
    CHECK(parse_collective_subject(each.order.subject).payload >= Bytes(4096));
    CHECK(parse_collective_subject(each.order.subject).payload <= Bytes(65536));
  }
  choices.largest = choices.smallest = Bytes(5000);
  CHECK_THROWS_AS(collective_plan(choices), InputError);
}

TEST_CASE("without a list the grid is measured") {
  CollectiveChoices choices = all_reduce();
  choices.sizes.clear();
  choices.grid = {Bytes(100), Bytes(900), 3};
  std::set<Bytes> payloads;
  for (const auto& each : collective_plan(choices).measurements)
    payloads.insert(parse_collective_subject(each.order.subject).payload);
  CHECK(payloads == std::set<Bytes>{Bytes(100), Bytes(300), Bytes(900)});
}

TEST_CASE("replies become one sweep for each collective, payloads ascending") {
  MeasureReply missing = reply("collective broadcast gloo cpu fp32 4096", 4096, 1);
  missing.unavailable = "no gloo";
  const auto sweeps = measured_sweeps({reply("collective all-reduce mpi cpu fp32 8192", 8192, 2), missing,
                                       reply("collective all-reduce mpi cpu fp32 4096", 4096, 1),
                                       reply("probe copy", 1, 1), reply("point-to-point mpi cpu fp16 4096", 4096, 3)},
                                      {4, 2}, {Provenance::measured, "here", ""});
  REQUIRE(sweeps.size() == 2);
  CHECK(sweeps[0].kind == CollectiveKind::all_reduce);
  CHECK(sweeps[0].nodes == 4);
  CHECK(sweeps[0].ranks_per_node == 2);
  REQUIRE(sweeps[0].points.size() == 2);
  CHECK(sweeps[0].points[0].payload == Bytes(4096));
  CHECK(sweeps[0].points[0].launches == std::vector{Seconds(1)});
  CHECK(sweeps[1].kind == CollectiveKind::send_receive);
  CHECK(sweeps[1].precision == Precision::fp16);
}
