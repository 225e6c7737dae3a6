// From evidence to a diagnosis: hypotheses that are likely and cost something, ranked.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "replay/diagnosis/cause.hpp"
#include "replay/diagnosis/hypothesis.hpp"

namespace mlsim::replay {

/// A step without what saves less than this is not told from the step with it: recorded steps are simulated within 2 %
/// (docs/models.md, "Recorded runs").
inline constexpr double kLeastSaving = 0.02;

/// A cause taken out: the affected figures of a hypothesis divided by `times_as_long`.
struct Mend {
  const Hypothesis* hypothesis = nullptr;
  double times_as_long = 1;
};

/// The time of a step with some causes taken out.
using MendedTime = std::function<double(const std::vector<Mend>& mends)>;

/// Causes that are likelier than 1 %, the likeliest first, where all together are ten times as likely as nothing; none else.
/// What is seen once the likeliest is taken out stands besides.
Diagnosis diagnosis(const TimesEvidence& evidence, const MendedTime& time);

/// The sentence that says which test tells the two likeliest causes apart, or confirms the only one.
std::string telling_test(const std::vector<Cause>& causes);

}  // namespace mlsim::replay
