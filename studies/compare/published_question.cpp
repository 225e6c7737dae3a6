#include "studies/compare/published_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/text/errors.hpp"
#include "validation/cases/cases.hpp"
#include "validation/scores/validate.hpp"

namespace mlsim::studies {
namespace {

using validation::Case;

const Case& case_called(const std::string& id) {
  const std::vector<Case>& cases = validation::published_cases();
  const auto found = std::find_if(cases.begin(), cases.end(), [&](const Case& c) { return c.id == id; });
  if (found != cases.end()) return *found;
  std::vector<std::string> ids;
  for (const Case& c : cases) ids.push_back(c.id);
  const std::string nearest = nearest_word(id, ids);
  throw InputError(
      "--like", fmt::format("no published run is called \"{}\"{}; `mlsim validate published` lists them",
                            id.substr(0, 80), nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest)));
}

void check_words(const std::string& id, const QuestionText& words) {
  for (const auto& [key, member] : question_words()) {
    if (key == "fidelity" || key == "seed" || key == "price-date" || (words.*member).empty()) continue;
    throw InputError("--" + key, fmt::format("is what --like {} says of the run", id));
  }
  if (!words.settings.empty())
    throw InputError("--set " + words.settings.front(), fmt::format("is what --like {} says of the run", id));
}

}  // namespace

PredictRequest published_question(const std::string& id, const QuestionText& words, const KnownFigures& known) {
  check_words(id, words);
  const PredictRequest money = request_of(words, known);
  validation::ValidationOptions options;
  options.fidelity = money.fidelity;
  PredictRequest request =
      validation::request_of(case_called(id), {{}, known.anchors, known.builtin_profiles}, options);
  request.own_profiles = known.own_profiles;
  request.seed = money.seed;
  request.options.price.own = money.options.price.own;
  request.options.price.listed = money.options.price.listed;
  if (money.options.price.date) request.options.price.date = money.options.price.date;
  return request;
}

}  // namespace mlsim::studies
