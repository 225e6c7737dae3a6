// An `UnseenRun` is what is said of a published run without its own rows: what stands beside an answer as the nearest
// run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "validation/cases/answers.hpp"
#include "validation/cases/cases.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

struct UnseenRun {
  std::string id;
  double predicted = 0;  // in the unit of its metric
};

/// Tells whether the row states what a whole run did, and neither lends its rate to the question nor a constant to the
/// model.
bool states_a_run(const Case& c);

/// Predicts every row among `cases` that states a run, as its table words it and without its own rows among the
/// anchors; the epochs that it took stay known (docs/trust.md). Leaves out those that cannot be asked. In their order,
/// several processes at a time.
std::vector<UnseenRun> unseen_runs(const std::vector<Case>& cases, const SharedList<Profile>& profiles,
                                   const AnswerOptions& options = {});

/// Writes "id,predicted", a line each, to four digits, as validation/published/derived/unseen_runs.csv stores them.
std::string unseen_runs_csv(const std::vector<UnseenRun>& runs);

/// Finds what that table says of a run of published_cases(): another prediction would cost more than most questions.
/// Empty where the run could not be asked.
std::optional<double> stored_unseen_run(const std::string& id);

}  // namespace mlsim::validation
