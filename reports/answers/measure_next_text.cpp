#include "reports/answers/answer_texts.hpp"

#include <fmt/format.h>

#include "reports/figure_text.hpp"
#include "reports/wrapped_text.hpp"

namespace mlsim::reports {

std::vector<std::string> measure_next_items(const std::vector<NextMeasurement>& measurements) {
  std::vector<std::string> items;
  std::string command;
  for (const auto& next : measurements) {
    const std::string share = next.share > 0 ? fmt::format(" ({} of the step)", percent_text(next.share)) : "";
    items.push_back(
        fmt::format("{}{}: {}", next.what.text, share, next.command == command ? "likewise" : next.command));
    command = next.command;
  }
  return items;
}

std::string measure_next_text(const std::vector<NextMeasurement>& measurements, std::size_t width) {
  constexpr std::size_t kIndent = 4;
  if (measurements.empty()) return {};
  std::string text = "\nMeasure next\n";
  for (const std::string& item : measure_next_items(measurements))
    text += labelled_text(padded("  -", kIndent), item, kIndent, width);
  return text;
}

}  // namespace mlsim::reports
