#include "sim/evidence/open_software.hpp"

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::sim;
using namespace mlsim::test;

namespace {

ParsedAnchor run(const std::string& stack, double batch, const std::string& topology = "dgx-a100",
                 Precision precision = Precision::fp16) {
  ParsedAnchor anchor;
  anchor.id = stack;
  anchor.topology = topology;
  anchor.accelerators = 1;
  anchor.workload = "resnet50";
  anchor.precision = precision;
  anchor.global_batch = batch;
  anchor.options.software.stack = stack;
  anchor.source.provenance = Provenance::published;
  return anchor;
}

ParsedAnchor on_8(ParsedAnchor run) {
  run.accelerators = 8;
  return run;
}

RunTraits open_question(const std::string& workload = "resnet50") {
  ParsedAnchor asked = on_8(run("", 256 * 8));
  asked.workload = workload;
  return TraitsReader().traits(asked);
}

StackStep step(const std::string& stack, double distance, double seconds) {
  return {{stack, distance, {}, {}}, Seconds(seconds)};
}

}  // namespace

TEST_CASE("stacks on record stand by how near their nearest run is") {
  const auto stacks = stacks_on_record(
      open_question(), {run("far", 64), run("near", 64), run("near", 256), run("elsewhere", 256, "dgx-a100-80gb"),
                        run("chip", 256, "dgx1-v100"), run("wide", 256, "dgx-a100", Precision::fp32)});
  REQUIRE(stacks.size() == 2);  // an A100 of 80 GB has another memory; V100 and fp32 say less
  CHECK(stacks[0].stack == "near");
  CHECK(stacks[0].distance == 0);
  CHECK(stacks[1].stack == "far");
  CHECK(stacks[1].distance == 2);
}

TEST_CASE("a named stack leaves nothing open, nor does a run of one's own") {
  RunTraits named = open_question();
  named.stack = stack_name("near");
  CHECK(stacks_on_record(named, {run("near", 256), run("far", 64)}).empty());
  ParsedAnchor own = run("mine", 256);
  own.source.provenance = Provenance::measured;
  CHECK(stacks_on_record(open_question(), {run("near", 256), own}).empty());
}

TEST_CASE("a run in bf16 says as much of fp16 where the data sheet has one rate for both") {
  CHECK(stacks_on_record(open_question(), {run("brain", 256, "dgx-a100", Precision::bf16)}).size() == 1);
}

TEST_CASE("the median stack exists, and the nearer ones weigh more") {
  const OpenSoftware even = median_software({step("a-x", 0, 3), step("a-y", 0, 1), step("a-z", 0, 2)});
  CHECK(even.stack.stack == "a-z");
  CHECK(even.stacks == 3);
  CHECK(even.shortest == Seconds(1));
  CHECK(even.longest == Seconds(3));
  CHECK(even.code_bases_differ);
  // Two doublings away: a sixteenth of the weight each.
  CHECK(median_software({step("near", 0, 1), step("b", 2, 2), step("c", 2, 3), step("d", 2, 4)}).stack.stack == "near");
  CHECK_FALSE(median_software({step("dle-2019", 0, 1), step("dle-2020", 0, 2)}).code_bases_differ);
}

TEST_CASE("a run with fused operators is two doublings from a question without") {
  RunTraits question = open_question();
  question.fusion = false;
  ParsedAnchor fused = run("fused", 256), separate = run("separate", 256), silent = run("silent", 256);
  fused.options.software.fusion = true;
  separate.options.software.fusion = false;
  const auto stacks = stacks_on_record(question, {fused, separate, silent});
  REQUIRE(stacks.size() == 3);
  CHECK(stacks[2].stack == "fused");
  CHECK(stacks[2].distance == 2);
  CHECK(stacks[1].distance == 0);
}

TEST_CASE("a stack that ran with fused operators and without is two where the question leaves that open") {
  ParsedAnchor fused = run("xla", 256), separate = run("xla", 64);
  fused.options.software.fusion = true;
  separate.options.software.fusion = false;
  const auto stacks = stacks_on_record(open_question(), {fused, separate});
  REQUIRE(stacks.size() == 2);
  CHECK(stacks[0].fusion == true);
  CHECK(stacks[1].fusion == false);
  CHECK(stacks[1].distance == 2);
  const OpenSoftware open = median_software({{stacks[0], Seconds(1)}, {stacks[1], Seconds(2)}});
  CHECK(open.stack.fusion == true);
  CHECK(open.fusion_alone);
  CHECK(open.longest == Seconds(2));
}

TEST_CASE("a question after a target is answered with software that ran to it") {
  const std::vector<ParsedAnchor> runs{run("dle-mxnet", 256), on_8(run("mlperf-v1.1", 512 * 8))};
  const auto to_target = stacks_on_record(open_question(), runs, "v1.1-lars-mxnet");
  REQUIRE(to_target.size() == 1);
  CHECK(to_target[0].stack == "mlperf-v1.1");
  CHECK(stacks_on_record(open_question(), runs).size() == 2);
  CHECK(stacks_on_record(open_question(), runs, "90-epochs").size() == 2);                     // no recipe of MLPerf's
  CHECK(stacks_on_record(open_question(), {run("dle-mxnet", 256)}, "v0.6-lars").size() == 1);  // nothing better
}

TEST_CASE("software that ran to no target counts where its batches are nearer") {
  // The batches of one accelerator and of all are 0 + 0 doublings from what is asked, against 1 + 1.
  const std::vector<ParsedAnchor> runs{on_8(run("dle-mxnet", 256 * 8)), on_8(run("mlperf-v1.1", 512 * 8))};
  CHECK(stacks_on_record(open_question(), runs, "v1.1-lars-mxnet").size() == 2);
  // Batches that are as near are not nearer: 0 + 3 doublings against 2 + 1.
  const std::vector<ParsedAnchor> level{run("dle-mxnet", 256), run("mlperf-v1.1", 1024)};
  CHECK(stacks_on_record(open_question(), level, "v1.1-lars-mxnet").size() == 1);
}

TEST_CASE("the same network without its padding is a doubling away, or none where that was asked") {
  ParsedAnchor unpadded = run("mlperf-v1.1-pytorch", 256);
  unpadded.workload = "bert-large";
  CHECK(stacks_on_record(open_question("bert-large"), {unpadded})[0].distance == 1);
  CHECK(stacks_on_record(open_question("bert-large:sequence=256"), {unpadded})[0].distance == 0);
  CHECK(stacks_on_record(open_question("bert-large-128"), {run("x", 256), unpadded}).empty());
}

TEST_CASE("with a last year later stacks do not count, if there are others") {
  const std::vector<ParsedAnchor> runs{run("mlperf-v0.7", 64), run("mlperf-v2.0", 256)};
  const auto names = [&](std::optional<int> year) {
    std::vector<std::string> found;
    for (const StackOnRecord& each : stacks_on_record(open_question(), runs, {}, year)) found.push_back(each.stack);
    return found;
  };
  CHECK(names(std::nullopt) == std::vector<std::string>{"mlperf-v2.0", "mlperf-v0.7"});
  CHECK(names(2021) == std::vector<std::string>{"mlperf-v0.7"});
  CHECK(names(2018) == std::vector<std::string>{"mlperf-v2.0", "mlperf-v0.7"});
}
