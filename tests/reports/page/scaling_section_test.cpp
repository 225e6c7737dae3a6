// The section on sizes marks a knee where its words name one, and nowhere else.
#include "reports/pages/sections.hpp"

#include <algorithm>

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// Three sizes, answered with so many samples a second.
Scaling sizes_with(std::optional<std::size_t> knee) {
  Scaling scaling;
  for (const int accelerators : {8, 16, 32}) {
    Prediction prediction;
    prediction.inputs.accelerators = accelerators;
    prediction.inputs.global_batch = 64;
    prediction.step.time = Seconds(1);
    prediction.throughput = PerSecond(accelerators);
    scaling.sizes.push_back({accelerators, {}, prediction, ""});
  }
  scaling.knee = knee;
  return scaling;
}

bool marks_a_knee(const PageSection& section) {
  for (const PageBlock& block : section.blocks)
    if (const auto* chart = std::get_if<PageChart>(&block))
      if (std::any_of(chart->series.begin(), chart->series.end(), [](const auto& each) { return each.name == "knee"; }))
        return true;
  return false;
}

std::string words_of(const PageSection& section) { return std::get<PageText>(section.blocks.front()).text; }

}  // namespace

TEST_CASE("a knee is marked before the largest size alone") {
  const PageSection bent = scaling_section(sizes_with(1)), straight = scaling_section(sizes_with(2));
  CHECK(marks_a_knee(bent));
  CHECK_THAT(words_of(bent), ContainsSubstring("is at 16"));
  CHECK_FALSE(marks_a_knee(straight));
  CHECK_THAT(words_of(straight), ContainsSubstring("There is no knee up to 32"));
}
