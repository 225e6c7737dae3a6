#include "replay/diagnosis/hypothesis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "core/quantile.hpp"

namespace mlsim::replay {
namespace {

// A form of Student's t has 4 degrees of freedom where figures are too few to tell (Lange, Little & Taylor, Robust
// statistical modeling using the t distribution, JASA 84, 1989), more where the figures are nearer to normal: the form
// that fits them best counts. The third quartile turns a median absolute deviation into a scale.
struct StudentForm {
  double freedom = 4, third_quartile = 0.7407;
};
constexpr std::array kForms{StudentForm{4, 0.7407}, StudentForm{8, 0.7064}, StudentForm{16, 0.6901},
                            StudentForm{32, 0.6822}};

// Ranks that are alike differ by this: GPUs of one kind in a machine room by 8 % from slowest to quickest, four
// standard deviations (Sinha et al., Not All GPUs Are Created Equal, SC 2022). It counts as one figure seen before.
constexpr double kPriorNoise = 0.02;

double median_of_values(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// Among so many figures, those below two standard errors are not weighed: they add 2 to the log likelihood at most,
// which is less than what the parameter costs.
constexpr std::size_t kManyFigures = 64;
constexpr double kLeastErrors = 2;

// A fit is what its parameters leave of a group's figures, and the figures' likelihood.
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

  // Returns nothing where there are too few figures for the parameters, or they are not larger than the others. `noise`
  // is what the figures differ by if nothing is wrong.
  std::optional<GroupFit> fit(const std::vector<std::size_t>& affected, double noise = 0) const {
    std::vector<bool> is_affected(values_.size());
    for (const std::size_t i : affected) is_affected[place_[i]] = true;
    std::vector<double> others, larger;
    for (std::size_t i = 0; i < values_.size(); ++i) (is_affected[i] ? larger : others).push_back(values_[i]);
    const std::size_t parameters = (group_.level_known ? 0 : 1) + (affected.empty() ? 0 : 1);
    if (!group_.level_known && others.empty()) return {};
    const double level = group_.level_known ? 0 : median_of_values(others);
    GroupFit found;
    if (!larger.empty()) {
      found.shift = median_of_values(larger) - level;
      const double errors = found.shift * std::sqrt(static_cast<double>(larger.size())) / noise;
      if (found.shift <= 0 || (values_.size() > kManyFigures && errors < kLeastErrors)) return {};
    }
    std::vector<double> residuals;
    for (std::size_t i = 0; i < values_.size(); ++i)
      residuals.push_back(std::abs(values_[i] - level - (is_affected[i] ? found.shift : 0)));
    const double deviation = median_of_values(residuals);
    found.log_likelihood = -std::numeric_limits<double>::infinity();
    for (const StudentForm& form : kForms) {
      const double scale = scale_of(deviation / form.third_quartile, parameters);
      const double likelihood = log_likelihood(residuals, scale, form.freedom);
      if (likelihood <= found.log_likelihood) continue;
      found.log_likelihood = likelihood;
      found.scale = scale;
    }
    return found;
  }

 private:
  // The scale comes from the group's figures, less the parameters, and one figure of before.
  double scale_of(double deviation, std::size_t parameters) const {
    const double before = kPriorNoise * kPriorNoise + group_.step_noise * group_.step_noise;
    const auto count = static_cast<double>(values_.size());
    const double left = std::max(1.0, 1 + count - static_cast<double>(parameters));
    return std::sqrt((before + count * deviation * deviation) / left);
  }

  static double log_likelihood(const std::vector<double>& residuals, double scale, double freedom) {
    double sum = 0;
    for (const double residual : residuals) sum += std::log1p(residual * residual / (scale * scale * freedom));
    const double constant = std::lgamma((freedom + 1) / 2) - std::lgamma(freedom / 2) -
                            0.5 * std::log(freedom * std::numbers::pi) - std::log(scale);
    return static_cast<double>(residuals.size()) * constant - (freedom + 1) / 2 * sum;
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
    const auto fit = groups[g].fit(hypothesis.affected, nothing[g].scale);
    if (fit) {
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

std::size_t EvidenceBuilder::add_group(ObservationGroup group, const std::vector<double>& values) {
  const std::size_t first = evidence_.observations.size();
  for (const double value : values) evidence_.observations.push_back({evidence_.groups.size(), value});
  evidence_.groups.push_back(group);
  return first;
}

void EvidenceBuilder::add_each(CauseKind kind, const std::vector<MeasuredSubject>& subjects, std::size_t first) {
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const MeasuredSubject& each = subjects[i];
    add(kind, each.host.empty() ? each.where : fmt::format("{} (host {})", each.where, each.host), {first + i});
  }
}

void EvidenceBuilder::add_hosts(CauseKind kind, const std::vector<MeasuredSubject>& subjects, std::size_t first) {
  std::map<std::string, std::vector<std::size_t>> of_host;
  for (std::size_t i = 0; i < subjects.size(); ++i)
    if (!subjects[i].host.empty()) of_host[subjects[i].host].push_back(first + i);
  for (const auto& [host, affected] : of_host)
    if (affected.size() > 1 && affected.size() < subjects.size()) add(kind, "host " + host, affected);
}

std::string counted(std::size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

double median_value(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

double median_noise(const std::vector<double>& samples) {
  const double middle = median_value(samples);
  std::vector<double> off;
  for (const double each : samples) off.push_back(std::abs(each - middle));
  // A normal deviates by 1.4826 median absolute deviations; its median by sqrt(pi / 2) = 1.2533 more than its mean.
  return 1.4826 * median_value(off) * 1.2533 / std::sqrt(static_cast<double>(samples.size()));
}

}  // namespace mlsim::replay
