#include "sim/evidence/nearest_run.hpp"

#include "catch.hpp"
#include "sim/options/options_text.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

Anchor anchor(const std::string& id, int accelerators, double batch, const std::string& stack) {
  Anchor a;
  a.id = id;
  a.topology = "torus32x32:accelerator=tpu-v3";
  a.accelerators = accelerators;
  a.workload = "resnet50";
  a.precision = Precision::bf16;
  a.global_batch = batch;
  if (!stack.empty()) a.settings = {{"stack", stack}};
  a.throughput = PerSecond(1000);
  return a;
}

// A question of 1024 accelerators and 32 samples on each; `stack` may be empty.
RunTraits question(const std::string& workload = "resnet50", const std::string& stack = {}) {
  ParsedAnchor run = anchor("asked", 1024, 32 * 1024, stack);
  run.workload = workload;
  RunTraits asked = TraitsReader().traits(run);
  asked.source.clear();
  asked.stack_in_use = stack.empty() ? "new" : stack;
  return asked;
}

}  // namespace

TEST_CASE("the same stack comes first, then the smallest system") {
  const std::vector<ParsedAnchor> anchors{anchor("old16", 16, 4096, "old"), anchor("new64", 64, 16384, "new"),
                                          anchor("new16", 16, 4096, "new")};
  CHECK(nearest_run(question(), anchors)->run.id == "new16");
  CHECK(nearest_run(question("resnet50", "old"), anchors)->run.id == "old16");
}

TEST_CASE("of two anchors of one size the larger batch wins") {
  const std::vector<ParsedAnchor> anchors{anchor("small", 16, 1024, "new"), anchor("large", 16, 4096, "new")};
  CHECK(nearest_run(question(), anchors)->run.id == "large");
}

TEST_CASE("another accelerator or workload is no anchor") {
  RunTraits asked = question();
  asked.chip = chip_traits("tpu-v2");
  CHECK_FALSE(nearest_run(asked, {anchor("a", 16, 4096, "new")}));
  CHECK_FALSE(nearest_run(question("vgg16"), {anchor("a", 16, 4096, "new")}));
}

TEST_CASE("a run on the chip with another memory is an anchor where none is on the chip itself") {
  Anchor near = anchor("near", 8, 2048, "new"), far = anchor("far", 8, 2048, "new");
  near.topology = "dgx-a100";  // 40 GB, 1.6 TB/s
  far.topology = "dgx1-v100";
  RunTraits asked = question();
  asked.chip = chip_traits("a100-sxm4-80gb");  // 2.0 TB/s
  const auto found = nearest_run(asked, {far, near});
  REQUIRE(found);
  CHECK(found->run.id == "near");
  CHECK(found->apart.chip == 2);
  CHECK_FALSE(found->same_software());
  CHECK(trust(*found).level == TrustLevel::weak);
  CHECK(nearest_run(asked, {near, anchor("tpu", 16, 4096, "new")})->run.id == "near");
  CHECK_FALSE(nearest_run(asked, {far}));
}

TEST_CASE("a run that something else than its kernels bounds is an anchor of its own machine alone") {
  std::vector<ParsedAnchor> anchors{anchor("slow", 8, 2048, "new"), anchor("sister", 8, 2048, "new")};
  anchors[0].topology = "pcie-server:accelerator=a100-pcie-40gb";
  anchors[0].kernel_speed = 0.01;
  anchors[1].topology = "dgx-a100-80gb";
  RunTraits asked = question();
  asked.chip = chip_traits("a100-sxm4-40gb");  // as fast as the board
  asked.machine = "dgx-a100";
  CHECK(nearest_run(asked, anchors)->run.id == "sister");
  CHECK(Evidence(anchors).kernel_speeds().empty());
  asked.chip = chip_traits("a100-pcie-40gb");
  asked.machine = TraitsReader().traits(anchors[0]).machine;
  CHECK(nearest_run(asked, anchors)->run.id == "slow");
  anchors[0].kernel_speed = 0.1;
  asked.chip = chip_traits("a100-sxm4-40gb");
  CHECK(nearest_run(asked, anchors)->run.id == "slow");
}

TEST_CASE("chips of one kind with other formats, or with rates more than twice as high, are no sisters") {
  CHECK(chip_traits("h100-sxm5").sister_of(chip_traits("h200-sxm")));
  CHECK(chip_traits("v100-pcie").sister_of(chip_traits("v100-sxm2-16gb")));
  CHECK_FALSE(chip_traits("tpu-v2").sister_of(chip_traits("tpu-v3")));  // 46 and 123 TFLOP/s
  CHECK_FALSE(chip_traits("rtx-2080-ti").sister_of(chip_traits("rtx-3090")));
  CHECK_FALSE(chip_traits("a100-sxm4-40gb").sister_of(chip_traits("v100-sxm2-16gb")));
}

TEST_CASE("another version of the network is an anchor where the stack is nearer or nothing else is there") {
  Anchor version = anchor("v1", 16, 4096, "new");
  version.workload = "resnet50-v1";
  CHECK(nearest_run(question(), {version})->apart.version);
  CHECK(nearest_run(question(), {version, anchor("same", 16, 4096, "new")})->run.id == "same");
  CHECK(nearest_run(question(), {anchor("old", 16, 4096, "old"), version})->run.id == "v1");
}

TEST_CASE("the distance counts doublings and batch") {
  const auto choice = nearest_run(question(), {anchor("a", 16, 4096, "new")});
  CHECK(choice->apart.doublings == 6);
  CHECK(choice->apart.batch_ratio == 0.125);
}

TEST_CASE("an accelerator that only a machine file knows leans on no anchor of another") {
  RunTraits own = question();
  own.chip = chip_traits("cpu-of-mine");
  CHECK_FALSE(nearest_run(own, {anchor("same", 16, 4096, "new")}));
}

TEST_CASE("trust falls with the distance to the anchor") {
  const std::vector<ParsedAnchor> anchors{anchor("a", 16, 512, "new-v0.6")};
  const auto level = [&](int accelerators, double micro_batch, const std::string& stack) {
    RunTraits asked = question("resnet50", stack);
    asked.accelerators = accelerators;
    asked.micro_batch = micro_batch;
    return trust(*nearest_run(asked, anchors)).level;
  };
  CHECK(level(16, 32, "new-v0.6") == TrustLevel::measured);
  CHECK(level(128, 32, "new-v0.6") == TrustLevel::good);   // three doublings
  CHECK(level(256, 32, "new-v0.6") == TrustLevel::fair);   // four
  CHECK(level(16, 64, "new-v0.6") == TrustLevel::fair);    // another batch
  CHECK(level(16, 32, "new-v0.7") == TrustLevel::fair);    // another release
  CHECK(level(16, 32, "other-v0.6") == TrustLevel::weak);  // another code base
  CHECK(level(16, 32, "") == TrustLevel::measured);        // all that is on record is of one code base
}

TEST_CASE("the reason for a word of trust holds the distances as values") {
  RunTraits asked = question("resnet50", "new");
  const TrustWord word = trust(*nearest_run(asked, {anchor("a", 16, 4096, "new")}));
  CHECK(word.why.text == "off a measured step by 6 doublings, batch x0.125");
  CHECK(word.why.quantities.at(0).value == 6);
  CHECK(word.why.quantities.at(1).value == 0.125);
  asked.splits_model = true;
  asked.settings = settings_texts(options_of({{"stack", "new"}, {"overlap_slowdown", "0.1"}}));
  CHECK(trust(*nearest_run(asked, {anchor("a", 16, 4096, "new")})).why.text ==
        "off a measured step by 6 doublings, batch x0.125, a split model, other settings");
}

TEST_CASE("of one code base the nearest round comes first, and other code last") {
  const std::vector<ParsedAnchor> anchors{anchor("dle", 16, 4096, "dle-tf"), anchor("old", 16, 4096, "mlperf-v0.6"),
                                          anchor("near", 64, 4096, "mlperf-v1.0-dell")};
  const RunTraits asked = question("resnet50", "mlperf-v1.1");
  CHECK(nearest_run(asked, anchors)->run.id == "near");
  CHECK(nearest_run(asked, {anchors[0], anchors[1]})->run.id == "old");
}

TEST_CASE("a run without padding is of the same version as a question of its software") {
  Anchor unpadded = anchor("unpadded", 16, 4096, "mlperf-v1.1-pytorch");
  unpadded.workload = "bert-large";
  const auto other_version = [&](const char* workload) {
    return nearest_run(question(workload, "mlperf-v1.1-pytorch"), {unpadded})->apart.version;
  };
  CHECK_FALSE(other_version("bert-large"));
  CHECK_FALSE(other_version("bert-large:sequence=256"));
  CHECK(other_version("bert-large:sequence=512"));
}

TEST_CASE("a run that is hidden is none, and what it is called stays known") {
  const Evidence all{anchor("near", 16, 4096, "new"), anchor("far", 16, 4096, "old")};
  const Evidence left = all.without([](std::size_t place) { return place == 0; });
  CHECK(nearest_run(question(), all)->run.id == "near");
  CHECK(nearest_run(question(), left)->run.id == "far");
  CHECK(left[0].options.software.stack == "new");
  CHECK_FALSE(nearest_run(question(), left.without([](std::size_t place) { return place == 1; })));
  CHECK(nearest_run(question(), left.with({anchor("mine", 16, 4096, "new")}))->run.id == "mine");
}

TEST_CASE("what is solved of a run is solved once, and anew with other profiles") {
  const Evidence evidence{anchor("a", 16, 4096, "new")};
  const SharedList<Profile> none, others;
  int asked = 0;
  const auto solve = [&] { return double(++asked); };
  CHECK(evidence.solved({0, std::nullopt}, none, none, solve) == 1);
  CHECK(evidence.without([](std::size_t) { return false; }).solved({0, std::nullopt}, none, none, solve) == 1);
  CHECK(evidence.solved({0, 1.5}, none, none, solve) == 2);
  CHECK(evidence.solved({0, std::nullopt}, others, none, solve) == 3);
}
