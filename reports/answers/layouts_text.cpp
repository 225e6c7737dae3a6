#include "reports/answers/answer_texts.hpp"

#include <fmt/format.h>

#include "reports/figure_text.hpp"

namespace mlsim::reports {

std::vector<std::string> layout_items(const std::vector<LayoutChoice>& layouts) {
  std::vector<std::string> items;
  for (const LayoutChoice& each : layouts)
    items.push_back(fmt::format("{}: {} a step by formulas, {}, {} bubble, limited by {}", each.layout,
                                figure_text(each.step_time), figure_text(each.memory), percent_text(each.bubble),
                                each.limit));
  return items;
}

}  // namespace mlsim::reports
