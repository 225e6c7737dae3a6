#include "sim/stragglers/straggler_options.hpp"

#include <cmath>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// Mean over evenly spaced shares.
double mean(const Jitter& jitter) {
  constexpr int kShares = 100'000;
  double sum = 0;
  for (int i = 0; i < kShares; ++i) sum += jitter.factor((i + 0.5) / kShares);
  return sum / kShares;
}

}  // namespace

TEST_CASE("every distribution of jitter has mean 1 and its own tail") {
  const ScratchFolder folder;
  folder.file("steps.txt", "# ms\n10\n10\n\n12 # a late one\n8\n");
  CHECK(mean(Jitter{}) == 1);
  CHECK(mean(parse_jitter("normal:0.1")) == Approx(1).epsilon(1e-6));
  CHECK(mean(parse_jitter("exponential:0.1")) == Approx(1).epsilon(1e-5));
  CHECK(mean(parse_jitter("lognormal:0.1")) == Approx(1).epsilon(1e-5));
  const Jitter samples = parse_jitter("samples:" + folder.path("steps.txt"));
  CHECK(samples.samples == std::vector<double>{0.8, 1, 1, 1.2});
  CHECK(mean(samples) == Approx(1));
  CHECK(samples.factor(0.2) == 0.8);
  CHECK(samples.factor(0.8) == 1.2);
  CHECK(parse_jitter("normal:0.1").factor(0.5 * std::erfc(-2 / std::sqrt(2.0))) == Approx(1.2));
  CHECK(parse_jitter("exponential:0.1").factor(1 - std::exp(-3.0)) == Approx(1.2));
  CHECK(parse_jitter("exponential:0.1").factor(1e-12) == Approx(0.9));
}

TEST_CASE("jitter that makes no sense is refused with what would") {
  const ScratchFolder folder;
  folder.file("one.txt", "10\n");
  folder.file("word.txt", "10\n12 ms\n");
  folder.file("minus.txt", "10\n-1\n");
  const auto says = [](const std::string& text, const std::string& what) {
    INFO(text);
    CHECK_THROWS_WITH(parse_jitter(text), ContainsSubstring(what));
  };
  says("norml:0.1", "did you mean \"normal\"?");
  says("normal", "as in normal:0.02");
  says("samples", "as in samples:steps.txt");
  says("normal:x", "\"x\"");
  says("normal:-0.1", "0 to 0.5");
  says("exponential:0.6", "0 to 0.5");
  says("samples:" + folder.path("none.txt"), "none.txt");
  says("samples:" + folder.path("one.txt"), "fewer than two");
  says("samples:" + folder.path("word.txt"), "word.txt:2: ");
  says("samples:" + folder.path("minus.txt"), "minus.txt:2: a step time is positive");
}
