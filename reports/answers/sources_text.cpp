#include "reports/answers/answer_texts.hpp"

#include <fmt/format.h>

#include "reports/wrapped_text.hpp"

namespace mlsim::reports {

std::string sources_text(const Prediction& prediction, std::size_t width) {
  constexpr std::size_t kIndent = 4;
  if (prediction.provenance.empty()) return {};
  std::string page = "\nRests on\n";
  for (const auto& entry : prediction.provenance) {
    const auto& source = entry.source;
    std::string text = entry.figure;
    if (!entry.value.text.empty()) text += ": " + entry.value.text;
    text += fmt::format(" [{}", name(source.provenance));
    if (!source.source.empty()) text += ": " + source.source;
    if (!source.date.empty()) text += ", " + source.date;
    page += labelled_text(padded("  -", kIndent), text + "]", kIndent, width);
  }
  return page;
}

}  // namespace mlsim::reports
