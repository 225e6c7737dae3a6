// A `RowFigure` is a number that is computed of a published row and stored beside it: speed, rate, unseen answer.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "validation/cases/answers.hpp"
#include "validation/cases/cases.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

/// A `RowFigure` is a number that is computed of a published row and stored beside it.
struct RowFigure {
  std::string id;
  double value = 0;
};

/// Computes the figure of every row by its place among `ids`, to four digits, several processes at a time; `activity`
/// says what is being done. Leaves out rows for which `figure` throws InputError or Infeasible: this catalogue cannot
/// ask them.
std::vector<RowFigure> row_figures(const std::vector<std::string>& ids, const std::string& activity,
                                   const std::function<double(std::size_t)>& figure, const AnswerOptions& options);

/// Writes "id,NAME", a line each, as the tables of validation/published/derived hold them.
std::string row_figures_csv(const std::string& name, const std::vector<RowFigure>& figures);

/// Gives the speed of every anchor among `cases` whose system and network can be had, a factor on the efficiency curve,
/// in their order; validation/published/derived/anchor_speeds.csv is a table of these.
std::vector<RowFigure> anchor_speeds(const std::vector<Case>& cases, const SharedList<Profile>& profiles,
                                     const AnswerOptions& options = {});

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

/// A `TimeRate` is the rate at which a job takes its published time: what a row without a throughput tells of the speed
/// of its system.
struct TimeRate {
  const Case* row = nullptr;  // a time to a target, an input
  PerSecond rate;
};

/// Finds for every time to a target among `cases` that is an input, in their order, the throughput with which the row's
/// recipe takes that time, by bisection to 1e-6, several processes at a time. Throws as predict() does.
std::vector<TimeRate> time_rates(const std::vector<Case>& cases, const SharedList<Profile>& profiles,
                                 const AnswerOptions& options = {});
/// The rates point into the cases, which must outlive them.
std::vector<TimeRate> time_rates(std::vector<Case>&& cases, const SharedList<Profile>& profiles,
                                 const AnswerOptions& options = {}) = delete;

/// Writes a table of cases with the rates as anchors, as validation/published/mlperf_rates_of_times.csv stores them.
std::string time_rates_csv(const std::vector<TimeRate>& rates);

/// Makes the id of the anchor that a time gives: "...-rate" of "...-time".
std::string rate_id(const std::string& time_id);

}  // namespace mlsim::validation
