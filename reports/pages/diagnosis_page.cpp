#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/text/units_text.hpp"
#include "replay/diagnosis/diagnosis.hpp"

namespace mlsim::reports {
namespace {

// No likelihood is shown as 100 %, since nothing is certain.
std::string likelihood_text(double likelihood) {
  return likelihood > 0.99 ? "> 99 %" : fmt::format("{:.0f} %", std::floor(100 * likelihood));
}

Table causes_table(const Diagnosis& diagnosis) {
  Table table =
      table_of(name_columns("cause"), word_columns("where"), figure_columns("times as long", "likelihood", "saves"));
  for (const Cause& cause : diagnosis.causes)
    table.rows.push_back({name(cause.kind), cause.where, fmt::format("{:.2f}", cause.times_as_long),
                          likelihood_text(cause.likelihood), fmt::format("{:.3g} %", 100 * cause.saving)});
  if (diagnosis.nothing >= 0.01) table.rows.push_back({"nothing", "", "", likelihood_text(diagnosis.nothing), ""});
  return table;
}

Table arrivals_table(const Diagnosis& diagnosis) {
  constexpr std::size_t kShown = 8;
  Table table = table_of(name_columns("last to arrive"), figure_columns("times", "of", "waited for"));
  for (const Arrival& arrival : diagnosis.last_to_arrive) {
    if (table.rows.size() == kShown) break;
    table.rows.push_back(
        {arrival.where, std::to_string(arrival.times), std::to_string(arrival.meetings), to_text(arrival.waited)});
  }
  return table;
}

}  // namespace

Page diagnosis_page(const Diagnosis& diagnosis) {
  Page page{diagnosis.subject, {}, {}, ""};
  const auto say = [&](const std::string& sentence) { page.add({PageText{sentence}}); };
  if (diagnosis.found())
    page.add({PageTable{causes_table(diagnosis)}});
  else
    say("Nothing found: no rank, host, link, stage or input stands out from the rest.");
  for (const Cause& cause : diagnosis.causes) say(cause_sentence(cause));
  for (const Cause& cause : diagnosis.besides)
    say(fmt::format("Once that is taken out, there is also: {} ({}). {}", name(cause.kind),
                    likelihood_text(cause.likelihood), cause_sentence(cause)));
  if (Table arrivals = arrivals_table(diagnosis); !arrivals.rows.empty()) page.add({PageTable{std::move(arrivals)}});
  if (!diagnosis.tell_apart.empty())
    say(fmt::format("{}: {}.", diagnosis.causes.size() > 1 ? "To tell them apart" : "To make sure",
                    diagnosis.tell_apart));
  for (const std::string& note : diagnosis.notes) say(note);
  return page;
}

}  // namespace mlsim::reports
