#include "studies/compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "studies/answer_figure.hpp"
#include "studies/common_target.hpp"
#include "studies/compare/published_run.hpp"

namespace mlsim::studies {
namespace {

ComparedAnswer answer_to(const ComparedQuestion& question) {
  try {
    Prediction prediction = predict(question.request);
    add_published_run(prediction, question.request);
    return {question.name, std::move(prediction), ""};
  } catch (const InputError& e) {
    throw InputError(fmt::format("\"{}\"", question.name), e.what());
  } catch (const Infeasible& e) {
    return {question.name, std::nullopt, e.what()};
  } catch (const Unavailable& e) {
    return {question.name, std::nullopt, e.what()};
  }
}

// `Rows` builds the rows of a comparison, a column for each answer.
class Rows {
 public:
  explicit Rows(Comparison& comparison) : comparison_(comparison) {}

  void input(const std::string& name, const std::function<std::string(const Prediction&)>& value) {
    ComparedInput row{name, {}};
    for (const ComparedAnswer& answer : comparison_.answers)
      row.values.push_back(answer.prediction ? std::optional(value(*answer.prediction)) : std::nullopt);
    comparison_.inputs.push_back(std::move(row));
  }

  void figure(const AnswerFigure& figure) {
    ComparedFigure row{figure.name, figure.unit, {}};
    for (const ComparedAnswer& answer : comparison_.answers) {
      row.values.push_back(answer.prediction ? figure.value(*answer.prediction) : std::nullopt);
      row.intervals.push_back(answer.prediction && figure.interval ? figure.interval(*answer.prediction)
                                                                   : std::nullopt);
    }
    row.best = best_of(row.values, figure.better);
    comparison_.figures.push_back(std::move(row));
  }

 private:
  // Of equals the first is the best.
  static std::optional<std::size_t> best_of(const std::vector<std::optional<double>>& values, Better better) {
    if (better == Better::neither || std::count_if(values.begin(), values.end(), [](const auto& v) { return v; }) < 2)
      return {};
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i]) continue;
      if (!best || (better == Better::lower ? *values[i] < *values[*best] : *values[i] > *values[*best])) best = i;
    }
    return best;
  }

  Comparison& comparison_;
};

// Adds a row for each setting that any answer was given.
void add_settings(Rows& rows, const std::vector<ComparedAnswer>& answers) {
  std::set<std::string> keys;
  for (const ComparedAnswer& answer : answers) {
    if (!answer.prediction) continue;
    for (const auto& [key, value] : answer.prediction->inputs.settings) keys.insert(key);
  }
  for (const std::string& key : keys) {
    rows.input(key, [&](const Prediction& p) {
      const auto found = p.inputs.settings.find(key);
      return found == p.inputs.settings.end() ? std::string() : found->second;
    });
  }
}

std::vector<AnsweredTarget> targets_of(const std::vector<ComparedAnswer>& answers) {
  std::vector<AnsweredTarget> targets;
  for (const ComparedAnswer& answer : answers)
    if (answer.prediction)
      targets.push_back(
          {answer.prediction->inputs.workload, answer.prediction->inputs.target, answer.prediction->inputs.recipe});
  return targets;
}

std::vector<ComparedAnswer> answers_to(const std::vector<ComparedQuestion>& questions, const std::string& recipe = {}) {
  std::vector<ComparedAnswer> answers;
  for (ComparedQuestion question : questions) {
    if (!recipe.empty()) question.request.options.job.recipe = recipe;
    answers.push_back(answer_to(question));
  }
  return answers;
}

// Tells whether as many are answered as were, all to one target.
bool settles(const std::vector<ComparedAnswer>& answers, const std::vector<ComparedAnswer>& before) {
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (before[i].prediction && (!answers[i].prediction || answers[i].prediction->inputs.target.empty())) return false;
  return !targets_differ(targets_of(answers));
}

// Tells whether no question says what to train to.
bool all_open(const std::vector<ComparedQuestion>& questions) {
  return std::all_of(questions.begin(), questions.end(), [](const ComparedQuestion& question) {
    const JobOptions& job = question.request.options.job;
    return job.recipe.empty() && !job.has_length() && !job.target && !job.target_loss;
  });
}

}  // namespace

bool ComparedInput::differs() const {
  std::set<std::string> given;
  for (const auto& value : values)
    if (value) given.insert(*value);
  return given.size() > 1;
}

std::optional<double> ComparedFigure::ratio(std::size_t answer) const {
  if (!best || !values[answer]) return {};
  const double own = *values[answer], least = *values[*best];
  if (own == least) return 1;
  if (!(own > 0 && least > 0)) return {};
  return std::max(own / least, least / own);
}

Comparison comparison_of(std::vector<ComparedAnswer> answers) {
  Comparison comparison;
  comparison.answers = std::move(answers);
  comparison.targets_differ = targets_differ(targets_of(comparison.answers));
  Rows rows(comparison);
  for (const AnsweredInput& input : answered_inputs()) rows.input(input.name, input.text);
  add_settings(rows, comparison.answers);
  for (const AnswerFigure& figure : figures())
    if (!figure.name.empty()) rows.figure(figure);
  return comparison;
}

Comparison compare(const std::vector<ComparedQuestion>& questions) {
  std::vector<ComparedAnswer> answers = answers_to(questions);
  if (all_open(questions)) {
    for (const std::string& recipe : common_recipes(targets_of(answers), {})) {
      std::vector<ComparedAnswer> again;
      try {
        again = answers_to(questions, recipe);
      } catch (const InputError&) {
        continue;  // a recipe of another network of the same workload
      }
      if (!settles(again, answers)) continue;
      answers = std::move(again);
      break;
    }
  }
  return comparison_of(std::move(answers));
}

}  // namespace mlsim::studies
