#include "reports/answers/answer_texts.hpp"

#include <fmt/format.h>

#include "reports/figure_text.hpp"
#include "reports/renderers/terminal_lines.hpp"

namespace mlsim::reports {

std::vector<std::string> headline_lines(const Prediction& p, std::size_t width) {
  if (p.collective) return joined_lines({collective_headline(p)}, "", width);
  const auto& in = p.inputs;
  std::vector<std::string> parts{fmt::format("{} on {} x {}: {} a step, {}", in.workload, in.accelerators,
                                             in.accelerator.empty() ? in.topology : in.accelerator,
                                             figure_text(p.step.time), figure_text(p.throughput))};
  if (p.time_to_target) {
    parts.push_back(fmt::format("{} to {}", with_interval(*p.time_to_target, p.interval.time_to_target),
                                in.target.empty() ? "the target" : in.target));
  }
  if (p.cost) parts.push_back(figure_text(*p.cost));
  if (!p.memory.fits) parts.emplace_back("does not fit in memory");
  return joined_lines(parts, "; ", width);
}

std::string headline_text(const Prediction& prediction, std::size_t width, bool color) {
  TerminalLines page(color, width);
  page.lines(headline_lines(prediction, width), Style::bold);
  return page.text();
}

}  // namespace mlsim::reports
