#include "reports/answers/measure_next_text.hpp"

#include <fmt/format.h>

#include "reports/figure_text.hpp"
#include "reports/text_table.hpp"
#include "reports/wrapped_text.hpp"

namespace mlsim::reports {

std::string measure_next_text(const std::vector<NextMeasurement>& measurements) {
  constexpr std::size_t kIndent = 4;
  if (measurements.empty()) return {};
  std::string text = "\nMeasure next\n", command;
  for (const auto& next : measurements) {
    const std::string share = next.share > 0 ? fmt::format(" ({} of the step)", percent_text(next.share)) : "";
    text += labelled_text(
        padded("  -", kIndent),
        fmt::format("{}{}: {}", next.what.text, share, next.command == command ? "likewise" : next.command), kIndent);
    command = next.command;
  }
  return text;
}

}  // namespace mlsim::reports
