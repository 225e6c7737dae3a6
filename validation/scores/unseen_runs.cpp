#include "validation/scores/row_figures.hpp"

#include <string_view>

#include "core/text/units_text.hpp"
#include "sim/answer/predict.hpp"
#include "validation/cases/figure.hpp"
#include "validation/scores/validate.hpp"
#include "validation_files.hpp"

namespace mlsim::validation {
namespace {

// A run's rate and its time are two rows of one run.
bool same_run(const ParsedAnchor& anchor, const Case& c) {
  return anchor.id == c.id ||
         (anchor.topology == c.topology && anchor.accelerators == c.accelerators && anchor.workload == c.workload &&
          anchor.global_batch == c.global_batch && anchor.precision == c.precision &&
          anchor.options.software.stack == c.options.software.stack);
}

double predicted(const Case& c, const SharedList<Profile>& profiles) {
  const Evidence& all = published_anchors();
  ValidationOptions options;
  options.profiles = profiles;
  const Evidence others = all.without([&](std::size_t place) { return same_run(all[place], c); });
  return figure_of(c.metric, sim::predict(request_of(c, {{}, others, profiles}, options))).value;
}

}  // namespace

bool states_a_run(const Case& c) {
  const bool figure =
      c.metric == Metric::throughput || c.metric == Metric::step_time || c.metric == Metric::time_to_accuracy;
  return figure && c.role != Role::input && !c.payload && c.relative_to.empty() && !c.options.job.throughput;
}

std::vector<RowFigure> unseen_runs(const std::vector<Case>& cases, const SharedList<Profile>& profiles,
                                   const AnswerOptions& options) {
  std::vector<const Case*> asked;
  std::vector<std::string> ids;
  for (const Case& c : cases) {
    if (!states_a_run(c)) continue;
    asked.push_back(&c);
    ids.push_back(c.id);
  }
  return row_figures(
      ids, "predicting runs without their own rows", [&](std::size_t i) { return predicted(*asked[i], profiles); },
      options);
}

std::optional<double> stored_unseen_run(const std::string& id) {
  const std::string_view table = file_at(validation_files(), "derived/unseen_runs.csv").text;
  const std::string begin = "\n" + id + ",";
  const std::size_t found = table.find(begin);
  if (found == std::string_view::npos) return std::nullopt;
  const std::string_view rest = table.substr(found + begin.size());
  return parse_number(std::string(rest.substr(0, rest.find('\n'))));
}

}  // namespace mlsim::validation
