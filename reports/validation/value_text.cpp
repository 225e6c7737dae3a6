#include "reports/validation/value_text.hpp"

#include <fmt/format.h>

#include "core/units.hpp"
#include "core/units_text.hpp"

namespace mlsim::reports {

std::string value_text(Metric metric, double value) {
  switch (metric) {
    case Metric::throughput: return fmt::format("{:.4g}/s", value);
    case Metric::step_time:
    case Metric::time_to_accuracy:
    case Metric::all_reduce_time:
    case Metric::all_to_all_time: return to_text(Seconds(value));
    case Metric::cost: return fmt::format("{:.4g} USD", value);
    case Metric::bus_bandwidth: return to_text(BytesPerSecond(value));
    case Metric::speedup:
    case Metric::scaling_efficiency:
    case Metric::price_ratio:
    case Metric::communication_share:
    case Metric::relative_throughput:
    case Metric::all_to_all_share:
    case Metric::all_to_all_growth: break;
  }
  return fmt::format("{:.3g}", value);
}

std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string signed_share_text(double share) { return fmt::format("{:+.1f} %", 100 * share); }

}  // namespace mlsim::reports
