// diagnosis() goes from evidence to a diagnosis: hypotheses that are likely and cost something, ranked.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "replay/diagnosis/cause.hpp"
#include "replay/diagnosis/hypothesis.hpp"

namespace mlsim::replay {

/// A cause is not told from chance where the step without it saves less than this: recorded steps are simulated within
/// 2 % (docs/models.md, "Recorded runs").
inline constexpr double kLeastSaving = 0.02;

/// A mend takes a cause out: the affected figures of a hypothesis are divided by `times_as_long`.
struct Mend {
  const Hypothesis* hypothesis = nullptr;
  double times_as_long = 1;
};

/// A MendedTime returns the time of a step with some causes taken out.
using MendedTime = std::function<double(const std::vector<Mend>& mends)>;

/// Returns the causes that are likelier than 1 %, the likeliest first, where all together are ten times as likely as
/// nothing; none else. Causes that are seen once the likeliest is taken out stand besides.
Diagnosis diagnosis(const TimesEvidence& evidence, const MendedTime& time);

/// Returns the sentence that says which test tells the two likeliest causes apart, or confirms the only one.
std::string telling_test(const std::vector<Cause>& causes);

}  // namespace mlsim::replay
