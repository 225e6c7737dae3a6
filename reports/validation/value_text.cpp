#include "reports/validation/value_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/text/units_text.hpp"
#include "core/units.hpp"

namespace mlsim::reports {
namespace {

std::string row(const CaseResult& r) {
  return fmt::format("{},{},{},{:.4g},{},{}\n", r.what.id, name(r.what.metric), name(r.what.role), r.what.value,
                     r.predicted ? fmt::format("{:.4g}", *r.predicted) : "refused",
                     !r.interval ? "-"
                     : r.holds() ? "yes"
                                 : "no");
}

}  // namespace

std::string value_text(Metric metric, double value) {
  switch (quantity_of(metric)) {
    case MetricQuantity::rate: return fmt::format("{:.4g}/s", value);
    case MetricQuantity::time: return to_text(Seconds(value));
    case MetricQuantity::money: return fmt::format("{:.4g} USD", value);
    case MetricQuantity::bandwidth: return to_text(BytesPerSecond(value));
    case MetricQuantity::bytes: return to_text(Bytes(value));
    case MetricQuantity::number: break;
  }
  return fmt::format("{:.3g}", value);
}

std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string signed_share_text(double share) { return fmt::format("{:+.1f} %", 100 * share); }

std::string board_csv(const ValidationReport& report) {
  std::vector<std::string> rows;
  for (const CaseResult& r : report.cases) rows.push_back(row(r));
  std::sort(rows.begin(), rows.end());
  return fmt::format("id,metric,role,published,predicted,held\n{}", fmt::join(rows, ""));
}

}  // namespace mlsim::reports
