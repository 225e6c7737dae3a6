#include "validation/scores/error_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/errors.hpp"
#include "validation_files.hpp"

namespace mlsim::validation {
namespace {

double share(const Document& at) {
  const double value = at.number();
  if (!(value >= 0)) throw at.error(fmt::format("must not be negative, not {}", value));
  return value;
}

ErrorBounds::Entry read_entry(const Document& at, bool of_group) {
  if (of_group)
    at.allow_only({"source", "metric", "median", "p90", "coverage", "refused"});
  else
    at.allow_only({"metric", "median", "p90"});
  ErrorBounds::Entry entry;
  if (of_group) entry.source = at.at("source").text();
  entry.metric = at.at("metric").word<Metric>();
  entry.bound.median = share(at.at("median"));
  entry.bound.p90 = share(at.at("p90"));
  if (of_group) entry.bound.coverage = share(at.at("coverage"));
  if (of_group && at.has("refused")) entry.bound.refused = static_cast<int>(share(at.at("refused")));
  if (entry.bound.coverage > 1) throw at.error("a coverage is a share, at most 1");
  return entry;
}

}  // namespace

std::optional<Bound> ErrorBounds::of(const std::string& source, Metric metric) const {
  const auto find = [&](const std::string& wanted) {
    return std::find_if(entries.begin(), entries.end(),
                        [&](const Entry& e) { return e.source == wanted && e.metric == metric; });
  };
  if (const auto own = find(source); own != entries.end()) return own->bound;
  if (const auto any = find({}); any != entries.end()) return any->bound;
  return std::nullopt;
}

ErrorBounds parse_bounds(const Document& at) {
  at.allow_only({"groups", "any_source"});
  ErrorBounds bounds;
  for (const Document& item : at.at("groups").items()) bounds.entries.push_back(read_entry(item, true));
  for (const Document& item : at.at("any_source").items()) bounds.entries.push_back(read_entry(item, false));
  return bounds;
}

const ErrorBounds& published_bounds() {
  static const ErrorBounds bounds =
      parse_bounds(Document::embedded(file_at(validation_files(), "bounds.yaml"), "bounds.yaml"));
  return bounds;
}

std::vector<std::string> misses(const GroupScore& group, const ErrorBounds& bounds) {
  std::vector<std::string> out;
  const auto bound = bounds.of(group.source, group.metric);
  if (group.refused > (bound ? bound->refused : 0)) out.push_back(fmt::format("{} refused", group.refused));
  if (!bound || group.error.count == 0) return out;
  const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
  if (group.error.median > bound->median)
    out.push_back(fmt::format("median {} above {}", percent(group.error.median), percent(bound->median)));
  if (group.error.p90 > bound->p90)
    out.push_back(fmt::format("P90 {} above {}", percent(group.error.p90), percent(bound->p90)));
  if (group.intervals > 0 && group.coverage < bound->coverage)
    out.push_back(fmt::format("coverage {} below {}", percent(group.coverage), percent(bound->coverage)));
  return out;
}

}  // namespace mlsim::validation
