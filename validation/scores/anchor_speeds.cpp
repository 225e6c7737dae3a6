#include "validation/scores/row_figures.hpp"

#include "sim/pace/run_pace.hpp"

namespace mlsim::validation {

std::vector<RowFigure> anchor_speeds(const std::vector<Case>& cases, const SharedList<Profile>& profiles,
                                     const AnswerOptions& options) {
  PredictRequest asked;
  asked.builtin_profiles = profiles;
  asked.anchors = anchors_from(cases);
  std::vector<std::string> ids;
  for (const ParsedAnchor& anchor : asked.anchors) ids.push_back(anchor.id);
  return row_figures(
      ids, "timing anchors", [&](std::size_t i) { return kernel_speed(asked.anchors, i, asked); }, options);
}

}  // namespace mlsim::validation
