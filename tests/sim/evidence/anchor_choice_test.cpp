#include "sim/evidence/anchor_choice.hpp"

#include "catch.hpp"

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
  a.settings = {{"stack", stack}};
  a.throughput = PerSecond(1000);
  return a;
}

AnchorQuestion question() {
  AnchorQuestion q;
  q.workload = "resnet50";
  q.accelerator = "tpu-v3";
  q.precision = Precision::bf16;
  q.default_stack = "new";
  q.accelerators = 1024;
  q.micro_batch = 32;
  return q;
}

}  // namespace

TEST_CASE("the same stack comes first, then the smallest system") {
  const std::vector<ParsedAnchor> anchors{anchor("old16", 16, 4096, "old"), anchor("new64", 64, 16384, "new"),
                                          anchor("new16", 16, 4096, "new")};
  CHECK(choose_anchor(question(), anchors)->anchor.id == "new16");
  AnchorQuestion old = question();
  old.options.software.stack = "old";
  CHECK(choose_anchor(old, anchors)->anchor.id == "old16");
}

TEST_CASE("of two anchors of one size the larger batch wins") {
  const std::vector<ParsedAnchor> anchors{anchor("small", 16, 1024, "new"), anchor("large", 16, 4096, "new")};
  CHECK(choose_anchor(question(), anchors)->anchor.id == "large");
}

TEST_CASE("another accelerator or workload is no anchor") {
  AnchorQuestion q = question();
  q.accelerator = "tpu-v2";
  CHECK_FALSE(choose_anchor(q, {anchor("a", 16, 4096, "new")}));
  q = question();
  q.workload = "vgg16";
  CHECK_FALSE(choose_anchor(q, {anchor("a", 16, 4096, "new")}));
}

TEST_CASE("another version of the network is an anchor where the stack is nearer or nothing else is there") {
  Anchor version = anchor("v1", 16, 4096, "new");
  version.workload = "resnet50-v1";
  CHECK(choose_anchor(question(), {version})->other_version);
  CHECK(choose_anchor(question(), {version, anchor("same", 16, 4096, "new")})->anchor.id == "same");
  CHECK(choose_anchor(question(), {anchor("old", 16, 4096, "old"), version})->anchor.id == "v1");
}

TEST_CASE("the distance counts doublings and batch") {
  const auto choice = choose_anchor(question(), {anchor("a", 16, 4096, "new")});
  CHECK(choice->doublings == 6);
  CHECK(choice->batch_ratio == 0.125);
}

TEST_CASE("an accelerator that only a machine file knows leans on no anchor of another") {
  AnchorQuestion own = question();
  own.accelerator = "cpu-of-mine";
  CHECK_FALSE(choose_anchor(own, {anchor("same", 16, 4096, "new")}));
}

TEST_CASE("trust falls with the distance to the anchor") {
  const std::vector<ParsedAnchor> anchors{anchor("a", 16, 512, "new-v0.6")};
  const auto level = [&](int accelerators, double micro_batch, const std::string& stack) {
    AnchorQuestion q = question();
    q.accelerators = accelerators;
    q.micro_batch = micro_batch;
    q.options.software.stack = stack;
    return choose_anchor(q, anchors)->trust().level;
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
  AnchorQuestion q = question();
  q.options.software.stack = "new";
  const Trust trust = choose_anchor(q, {anchor("a", 16, 4096, "new")})->trust();
  CHECK(trust.why.text == "off a measured step by 6 doublings, batch x0.125");
  CHECK(trust.why.quantities.at(0).value == 6);
  CHECK(trust.why.quantities.at(1).value == 0.125);
  q.splits_model = true;
  q.options.exchange.overlap_slowdown = 0.1;
  CHECK(choose_anchor(q, {anchor("a", 16, 4096, "new")})->trust().why.text ==
        "off a measured step by 6 doublings, batch x0.125, a split model, other settings");
}

TEST_CASE("of one code base the nearest round comes first, and other code last") {
  const std::vector<ParsedAnchor> anchors{anchor("dle", 16, 4096, "dle-tf"), anchor("old", 16, 4096, "mlperf-v0.6"),
                                          anchor("near", 64, 4096, "mlperf-v1.0-dell")};
  AnchorQuestion q = question();
  q.options.software.stack = "mlperf-v1.1";
  CHECK(choose_anchor(q, anchors)->anchor.id == "near");
  CHECK(choose_anchor(q, {anchors[0], anchors[1]})->anchor.id == "old");
}

TEST_CASE("a run without padding is of the same version as a question of its software") {
  Anchor unpadded = anchor("unpadded", 16, 4096, "mlperf-v1.1-pytorch");
  unpadded.workload = "bert-large";
  AnchorQuestion q = question();
  q.options.software.stack = "mlperf-v1.1-pytorch";
  for (const char* workload : {"bert-large", "bert-large:sequence=256"}) {
    q.workload = workload;
    CHECK_FALSE(choose_anchor(q, {unpadded})->other_version);
  }
  q.workload = "bert-large:sequence=512";
  CHECK(choose_anchor(q, {unpadded})->other_version);
}
