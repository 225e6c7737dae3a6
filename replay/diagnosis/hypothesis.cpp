#include "replay/diagnosis/hypothesis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace mlsim::replay {
namespace {

// Lange, Little & Taylor, Robust statistical modeling using the t distribution, JASA 84, 1989: 4 degrees of freedom
// where they are not estimated.
constexpr double kFreedom = 4;

// By which ranks that are alike differ: GPUs of one kind on one machine room by 8 % from the slowest to the quickest,
// four standard deviations (Sinha et al., Not All GPUs Are Created Equal, SC 2022). It counts as one figure seen before.
constexpr double kPriorNoise = 0.02;

// 1.4826 median absolute deviations of a normal are its standard deviation.
constexpr double kDeviations = 1.4826;

double median_of_values(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// What is left of a group's figures, with how many parameters, and the figures' likelihood.
struct GroupFit {
  double shift = 0, scale = 0, log_likelihood = 0;
};

class GroupFigures {
 public:
  GroupFigures(const TimesEvidence& evidence, std::size_t group) : group_(evidence.groups[group]) {
    place_.resize(evidence.observations.size());
    for (std::size_t i = 0; i < place_.size(); ++i) {
      if (evidence.observations[i].group != group) continue;
      place_[i] = values_.size();
      values_.push_back(evidence.observations[i].value);
    }
  }

  std::size_t size() const { return values_.size(); }

  // Empty where there are too few figures for its parameters.
  std::optional<GroupFit> fit(const std::vector<std::size_t>& affected) const {
    std::vector<bool> is_affected(values_.size());
    for (const std::size_t i : affected) is_affected[place_[i]] = true;
    std::vector<double> others, larger;
    for (std::size_t i = 0; i < values_.size(); ++i) (is_affected[i] ? larger : others).push_back(values_[i]);
    const std::size_t parameters = (group_.level_known ? 0 : 1) + (affected.empty() ? 0 : 1);
    if (!group_.level_known && others.empty()) return {};
    const double level = group_.level_known ? 0 : median_of_values(others);
    GroupFit found;
    if (!larger.empty()) found.shift = median_of_values(larger) - level;
    std::vector<double> residuals;
    for (std::size_t i = 0; i < values_.size(); ++i)
      residuals.push_back(std::abs(values_[i] - level - (is_affected[i] ? found.shift : 0)));
    found.scale = scale_of(residuals, parameters);
    for (const double residual : residuals) {
      const double z = residual / found.scale;
      found.log_likelihood -= std::log(found.scale) + (kFreedom + 1) / 2 * std::log1p(z * z / kFreedom);
    }
    return found;
  }

 private:
  // Of so many figures, less the parameters, and one of before.
  double scale_of(const std::vector<double>& residuals, std::size_t parameters) const {
    const double deviation = kDeviations * median_of_values(residuals);
    const double before = kPriorNoise * kPriorNoise + group_.step_noise * group_.step_noise;
    const auto count = static_cast<double>(residuals.size());
    const double left = std::max(1.0, 1 + count - static_cast<double>(parameters));
    return std::sqrt((before + count * deviation * deviation) / left);
  }

  const ObservationGroup& group_;
  std::vector<double> values_;
  std::vector<std::size_t> place_;  // by observation
};

}  // namespace

std::vector<WeighedHypothesis> weighed(const TimesEvidence& evidence) {
  std::vector<GroupFigures> groups;
  std::vector<GroupFit> nothing;
  for (std::size_t g = 0; g < evidence.groups.size(); ++g) {
    groups.emplace_back(evidence, g);
    nothing.push_back(groups.back().size() > 0 ? groups.back().fit({}).value_or(GroupFit{}) : GroupFit{});
  }
  std::array<double, kCauseKinds> of_kind{};
  for (const Hypothesis& each : evidence.hypotheses) ++of_kind[static_cast<std::size_t>(each.kind)];
  std::vector<WeighedHypothesis> result;
  for (std::size_t h = 0; h < evidence.hypotheses.size(); ++h) {
    const Hypothesis& hypothesis = evidence.hypotheses[h];
    WeighedHypothesis found;
    found.hypothesis = h;
    const std::size_t g = evidence.observations[hypothesis.affected.front()].group;
    const auto fit = groups[g].fit(hypothesis.affected);
    if (fit && fit->shift > 0) {
      found.shift = fit->shift;
      found.noise = fit->scale;
      found.log_odds = fit->log_likelihood - nothing[g].log_likelihood -
                       0.5 * std::log(static_cast<double>(groups[g].size())) -
                       std::log(of_kind[static_cast<std::size_t>(hypothesis.kind)]);
    }
    result.push_back(found);
  }
  return result;
}

}  // namespace mlsim::replay
