#include "validation/scores/row_figures.hpp"

#include <fmt/format.h>

#include "core/process/workers.hpp"
#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::validation {

std::vector<RowFigure> row_figures(const std::vector<std::string>& ids, const std::string& activity,
                                   const std::function<double(std::size_t)>& figure, const AnswerOptions& options) {
  WorkerOptions how;
  how.workers = options.workers;
  how.process = "the process that asked it";
  how.activity = activity;
  how.name = [&](std::size_t i) { return ids[i]; };
  how.say = options.say;
  const auto outcomes = worker_outcomes(
      ids.size(), [&](std::size_t i) { return fmt::format("{:.4g}", figure(i)); }, how);
  std::vector<RowFigure> figures;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    try {
      figures.push_back({ids[i], parse_number(outcomes[i].value())});
    } catch (const InputError&) {
      continue;
    } catch (const Infeasible&) {
      continue;
    }
  }
  return figures;
}

std::string row_figures_csv(const std::string& name, const std::vector<RowFigure>& figures) {
  std::string text = "id," + name + "\n";
  for (const RowFigure& each : figures) text += fmt::format("{},{:.4g}\n", each.id, each.value);
  return text;
}

}  // namespace mlsim::validation
