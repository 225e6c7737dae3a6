#include "validation/scores/anchor_speeds.hpp"

#include <fmt/format.h>

#include "core/process/workers.hpp"
#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "sim/pace/run_pace.hpp"

namespace mlsim::validation {

std::vector<AnchorSpeed> anchor_speeds(const std::vector<Case>& cases, const SharedList<Profile>& profiles,
                                       const AnswerOptions& options) {
  PredictRequest asked;
  asked.builtin_profiles = profiles;
  asked.anchors = anchors_from(cases);
  const std::vector<ParsedAnchor>& anchors = asked.anchors;
  WorkerOptions how;
  how.workers = options.workers;
  how.process = "the process that timed it";
  how.activity = "timing anchors";
  how.name = [&](std::size_t i) { return anchors[i].id; };
  how.say = options.say;
  const auto outcomes = worker_outcomes(
      anchors.size(), [&](std::size_t i) { return fmt::format("{:.4g}", kernel_speed(asked.anchors, i, asked)); }, how);
  std::vector<AnchorSpeed> speeds;
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    try {
      speeds.push_back({anchors[i].id, parse_number(outcomes[i].value())});
    } catch (const InputError&) {
      continue;  // of a row that this catalogue cannot ask
    } catch (const Infeasible&) {
      continue;
    }
  }
  return speeds;
}

std::string anchor_speeds_csv(const std::vector<AnchorSpeed>& speeds) {
  std::string text = "id,speed\n";
  for (const AnchorSpeed& each : speeds) text += fmt::format("{},{:.4g}\n", each.id, each.speed);
  return text;
}

}  // namespace mlsim::validation
