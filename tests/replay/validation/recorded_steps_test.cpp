// Tables of recorded steps: read, and refused with place and reason.
#include "replay/validation/recorded_steps.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kHead =
    "rank,kind,stream,launch_us,call_us,begin_us,time_us,name,collective,payload_bytes,ranks,least_us\n";
const std::string kStep = "0,step,,,,0,100,Toy GPU,,,2,\n";
const std::string kKernel = "0,compute,7,5,3,10,40,gemm,,,,\n";

void refused(const std::string& rows, const std::string& says) {
  INFO(rows);
  CHECK_THROWS_WITH(parse_recorded_steps(kHead + rows, "steps.csv"), ContainsSubstring(says));
}

}  // namespace

TEST_CASE("a table of a recorded step is a recorded run") {
  const RecordedRun run = parse_recorded_steps(
      kHead + kStep + kKernel + "0,collective,20,20,3,60,30,,all-reduce,4000000,2,25\n", "steps.csv");
  REQUIRE(run.ranks.size() == 1);
  const RecordedRank& rank = run.ranks.front();
  CHECK(rank.trace.device == "Toy GPU");
  CHECK(rank.trace.world_size == 2);
  REQUIRE(rank.trace.spans.size() == 2);
  CHECK(rank.trace.spans[0].call.value == Approx(3e-6));
  CHECK(rank.trace.spans[1].collective->payload->value == 4e6);
  CHECK(rank.collectives.front().least().value == Approx(25e-6));
  CHECK(rank.sums[rank.typical_step].compute.value == Approx(40e-6));
}

TEST_CASE("what a stream did before the step is no work of the step") {
  const RecordedRun run = parse_recorded_steps(kHead + kStep + "0,before,7,,,-20,15,,,,,\n" + kKernel, "steps.csv");
  const RecordedRank& rank = run.ranks.front();
  CHECK(rank.trace.steps[rank.typical_step].time.value == Approx(100e-6));
  CHECK(rank.sums[rank.typical_step].kernels == 1);
}

TEST_CASE("tables that are none are refused at their place") {
  refused("", "steps.csv: holds a header but no steps");
  refused(kKernel, "rank 0 has no row of kind step");
  refused(kStep, "rank 0 has no work of its accelerator");
  refused(kStep + kStep, "steps.csv:3: column \"kind\": is a second step of this rank");
  refused("0,step,,,,0,0,,,,,\n", "steps.csv:2: column \"time_us\": is 0");
  refused("0,computes,7,5,3,10,40,,,,,\n", "steps.csv:2: column \"kind\": unknown");
  refused("x,compute,7,5,3,10,40,,,,,\n", "steps.csv:2: column \"rank\":");
  refused("0,compute,7,5,3,10,-40,,,,,\n", "steps.csv:2: column \"time_us\": \"-40\" is below 0");
  refused("0,compute,7,5,3,soon,40,,,,,\n", "steps.csv:2: column \"begin_us\":");
  refused(kStep + "0,collective,20,20,3,60,30,,all-redue,4000000,2,25\n", "did you mean \"all-reduce\"");
  CHECK_THROWS_WITH(parse_recorded_steps("rank,kin\n0,step\n", "steps.csv"),
                    ContainsSubstring("steps.csv:1: unknown column \"kin\"; did you mean \"kind\""));
  CHECK_THROWS_WITH(parse_recorded_steps("rank,kind\n0,step\n", "steps.csv"),
                    ContainsSubstring("steps.csv:1: lacks the column \"stream\""));
}
