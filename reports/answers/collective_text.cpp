#include "reports/answers/answer_texts.hpp"

#include <fmt/format.h>

#include "core/text/units_text.hpp"
#include "reports/figure_text.hpp"
#include "reports/renderers/terminal_lines.hpp"

namespace mlsim::reports {
namespace {

constexpr std::size_t kBar = 16;

std::string bar_line(const Prediction& p, Seconds part, const std::string& what) {
  const double share = p.step.time.value > 0 ? part / p.step.time : 0;
  return fmt::format("{} {} {} ({})", share_bar(share, kBar), figure_text(part), what, percent_text(share));
}

std::string way_text(const Prediction::Collective& c) {
  std::string text = c.algorithm;
  if (c.messages) text += fmt::format(", {:g} messages of a rank one after the other", *c.messages);
  return text;
}

}  // namespace

std::string collective_headline(const Prediction& p) {
  const auto& c = *p.collective;
  return fmt::format("{} of {} in {} on {} x {} ({}): {}{}", name(c.kind), figure_text(c.payload),
                     name(p.inputs.precision), p.inputs.accelerators, p.inputs.accelerator, p.inputs.topology,
                     figure_text(p.step.time), c.backend.empty() ? "" : " by " + c.backend);
}

std::string collective_text(const Prediction& p, const AnswerStyle& style) {
  constexpr std::size_t kLabel = 22;
  TerminalLines page(style.color, std::max<std::size_t>(style.width, 40));
  const auto& c = *p.collective;
  page.lines(joined_lines({collective_headline(p)}, "", page.width()), Style::bold);
  page.line("");
  const auto& range = p.interval.step_time;
  page.item("  Time", figure_text(p.step.time) + (range[1] > 0 ? ", 9 of 10: " + interval_text<Seconds>(range) : ""),
            kLabel);
  page.item("  Algorithm bandwidth", to_text(c.algorithm_bandwidth), kLabel);
  page.item("  Bus bandwidth", to_text(c.bus_bandwidth), kLabel);
  page.item("  Algorithm", way_text(c), kLabel);
  page.item("  Trust", fmt::format("{}; {}", name(p.trust.level), p.trust.why.text), kLabel);
  page.line("");
  page.item("  Latency", bar_line(p, c.latency, "what one byte would take"), kLabel);
  page.item("  Bytes", bar_line(p, c.transfer, "the rest"), kLabel);
  for (const std::string& warning : p.warnings) page.item("! ", warning, 2, Style::warning);
  if (style.sources) {
    page.block(sources_text(p, page.width()));
  } else {
    page.line("");
    page.line(fmt::format("  sources ({}): --sources", p.provenance.size()));
  }
  return page.text();
}

}  // namespace mlsim::reports
