#include "reports/validation/value_text.hpp"

#include <fmt/format.h>

#include "core/text/units_text.hpp"
#include "core/units.hpp"

namespace mlsim::reports {

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

}  // namespace mlsim::reports
