#include "replay/diagnosis/evidence_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/quantile.hpp"

namespace mlsim::replay {

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
