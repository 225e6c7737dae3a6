#include "sim/plan/software.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

StackTerm term(const std::string& stack, const std::string& family, double overhead) {
  StackTerm made;
  made.stack = stack;
  made.family = family;
  made.step_overhead = Seconds(overhead);
  made.source = {Provenance::fitted, "somewhere", "2020"};
  return made;
}

const std::vector<Profile>& known_profiles() {
  static const std::vector<Profile> known = [] {
    Profile profile;
    profile.accelerator = "chip";
    profile.stacks = {term("mlperf-v1.0", "", 1), term("mlperf-v1.0", "transformer", 2), term("mlperf-v0.7", "", 3),
                      term("mlperf-v0.7", "transformer", 4), term("mlperf-v0.7-tf", "", 5)};
    return std::vector<Profile>{profile};
  }();
  return known;
}

double overhead(const std::string& family, const std::string& asked) {
  return choose_stack(refs_to(known_profiles()), {}, "chip", family, asked).step_overhead.value;
}

Anchor anchor_of(const std::string& stack) {
  Anchor anchor;
  anchor.settings["stack"] = stack;
  return anchor;
}

}  // namespace

TEST_CASE("the first stack of a profile is the default, with the terms of the workload's family") {
  CHECK(overhead("convolutional", "") == 1);
  CHECK(overhead("transformer", "") == 2);
}

TEST_CASE("a stack asked for is taken, the family's own terms before those of any family") {
  CHECK(overhead("convolutional", "mlperf-v0.7") == 3);
  CHECK(overhead("transformer", "mlperf-v0.7") == 4);
  CHECK(overhead("transformer", "mlperf-v0.7-tf") == 5);
}

TEST_CASE("a stack known only by its anchors takes the terms of the stack that its name goes on from") {
  const auto chosen = [&](const std::string& asked) {
    return choose_stack(refs_to(known_profiles()), {anchor_of(asked)}, "chip", "transformer", asked);
  };
  CHECK(chosen("mlperf-v0.7-pytorch").step_overhead.value == 4);
  CHECK(chosen("mlperf-v0.7-tf-google").step_overhead.value == 5);
  CHECK(chosen("mlperf-v0.71").step_overhead.value == 2);  // no stem: the profile's default
  CHECK(chosen("mlperf-v0.7-pytorch").stack == "mlperf-v0.7-pytorch");
  CHECK(chosen("mlperf-v0.7-pytorch").source.provenance == Provenance::assumed);
}

TEST_CASE("a stack that neither a profile nor an anchor knows is refused with the nearest name") {
  CHECK_THROWS_WITH(choose_stack(refs_to(known_profiles()), {}, "chip", "", "mlperf-v0.77"),
                    Catch::Matchers::ContainsSubstring("mlperf-v0.7"));
  CHECK_THROWS_AS(choose_stack(refs_to(known_profiles()), {}, "chip", "", "mlperf-v0.7-pytorch"), InputError);
}

TEST_CASE("an accelerator without a profile has no fixed step time and says so") {
  const auto none = choose_stack(refs_to(known_profiles()), {}, "other", "", "");
  CHECK(none.step_overhead.value == 0);
  CHECK(none.source.provenance == Provenance::assumed);
}

TEST_CASE("a stack of other accelerators holds where none is known of this one") {
  const auto chosen = [&](const std::string& accelerator) {
    return choose_stack(refs_to(known_profiles()), {}, accelerator, "transformer", "mlperf-v0.7");
  };
  CHECK(chosen("chip").step_overhead.value == 4);
  CHECK(chosen("other chip").step_overhead.value == 4);
  CHECK(choose_stack(refs_to(known_profiles()), {}, "other chip", "transformer", "").step_overhead.value == 0);
}

TEST_CASE("a GPU without a stack exchanges gradients as the first stack of another GPU does, in no known time") {
  std::vector<Profile> known = known_profiles();
  known.front().accelerator = "a100-sxm4-80gb";
  known.front().stacks[1].overlap = false;
  const auto chosen = [&](const std::string& accelerator, const std::string& family) {
    return choose_stack(refs_to(known), {}, accelerator, family, "");
  };
  CHECK_FALSE(chosen("a30", "transformer").overlap);
  CHECK(chosen("a30", "convolutional").overlap);
  CHECK(chosen("tpu-v5p", "transformer").overlap);
  CHECK(chosen("a30", "transformer").step_overhead.value == 0);
  known.insert(known.begin(), Profile{});
  known.front().accelerator = "h100-sxm5";
  known.front().stacks = {term("mine", "recurrent", 1)};  // has no say of others
  CHECK_FALSE(chosen("a30", "transformer").overlap);
}

TEST_CASE("without a stack the first of the year or of an earlier one is taken, if there is one") {
  const auto of_year = [](int year) {
    return choose_stack(refs_to(known_profiles()), {}, "chip", "transformer", "", year).step_overhead.value;
  };
  CHECK(of_year(2021) == 2);
  CHECK(of_year(2020) == 4);
  CHECK(of_year(2018) == 2);  // all are later
}
