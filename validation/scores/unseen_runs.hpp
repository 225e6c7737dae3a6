// unseen_runs() predicts published runs without their own rows: the figure beside an answer with the nearest run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "validation/cases/cases.hpp"
#include "validation/namespace.hpp"
#include "validation/scores/row_figures.hpp"

namespace mlsim::validation {

/// Tells whether the row states what a whole run did, and neither lends its rate to the question nor a constant to the
/// model.
bool states_a_run(const Case& c);

/// Predicts every row among `cases` that states a run, as its table words it and without its own rows among the
/// anchors; the epochs that it took stay known (docs/trust.md). In their order, those left out that cannot be asked.
std::vector<RowFigure> unseen_runs(const std::vector<Case>& cases, const SharedList<Profile>& profiles,
                                   const AnswerOptions& options = {});

/// Finds what validation/published/derived/unseen_runs.csv, a table of these, says of a run of published_cases():
/// another prediction would cost more than most questions. Empty where the run could not be asked.
std::optional<double> stored_unseen_run(const std::string& id);

}  // namespace mlsim::validation
