#include "reports/replay/diagnosis_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "reports/replay/cause_sentence.hpp"
#include "reports/text_table.hpp"
#include "reports/wrapped_text.hpp"

namespace mlsim::reports {
namespace {

// Never 100 %, which nothing is.
std::string likelihood_text(double likelihood) {
  return likelihood > 0.99 ? "> 99 %" : fmt::format("{:.0f} %", std::floor(100 * likelihood));
}

std::string causes_table(const Diagnosis& diagnosis) {
  TextTable table{{{"cause", Align::left, true},
                   {"where"},
                   {"times as long", Align::right, true},
                   {"likelihood", Align::right, true},
                   {"saves", Align::right, true}},
                  {}};
  for (const Cause& cause : diagnosis.causes)
    table.rows.push_back({std::string(name(cause.kind)), cause.where, fmt::format("{:.2f}", cause.times_as_long),
                          likelihood_text(cause.likelihood), fmt::format("{:.3g} %", 100 * cause.saving)});
  if (diagnosis.nothing >= 0.01) table.rows.push_back({"nothing", "", "", likelihood_text(diagnosis.nothing), ""});
  return to_text(table);
}

}  // namespace

std::string diagnosis_text(const Diagnosis& diagnosis) {
  std::string text = diagnosis.subject + "\n\n";
  if (!diagnosis.found())
    text += paragraph("Nothing found: no rank, host, link, stage or input stands out from the rest.");
  if (diagnosis.found()) text += causes_table(diagnosis);
  for (const Cause& cause : diagnosis.causes) text += "\n" + paragraph(cause_sentence(cause));
  for (const Cause& cause : diagnosis.besides)
    text += "\n" + paragraph(fmt::format("Once that is taken out, there is also a {} ({}). {}", name(cause.kind),
                                         likelihood_text(cause.likelihood), cause_sentence(cause)));
  if (!diagnosis.tell_apart.empty())
    text += "\n" + paragraph(fmt::format("{}: {}.", diagnosis.causes.size() > 1 ? "To tell them apart" : "To make sure",
                                         diagnosis.tell_apart));
  for (const std::string& note : diagnosis.notes) text += "\n" + paragraph(note);
  return text;
}

}  // namespace mlsim::reports
