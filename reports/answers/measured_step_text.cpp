#include "reports/answers/answer_texts.hpp"

#include <fmt/format.h>

namespace mlsim::reports {
namespace {

constexpr double kQuick = 0.05, kSlow = 0.95;  // of the range that every answer states

std::string pace_word(double percentile) {
  if (percentile > kSlow) return "slow";
  return percentile < kQuick ? "quick" : "normal";
}

}  // namespace

std::string measured_step_text(const Prediction::MeasuredStep& measured) {
  const double percentile = measured.percentile;
  std::string text = fmt::format("{}: longer than {} of 100 steps expected here", pace_word(percentile),
                                 percentile > 0.995   ? "over 99"
                                 : percentile < 0.005 ? "under 1"
                                                      : fmt::format("{:.0f}", 100 * percentile));
  if (!measured.remedies.empty()) text += "; " + joined(measured.remedies, ", ").text;
  return text;
}

}  // namespace mlsim::reports
