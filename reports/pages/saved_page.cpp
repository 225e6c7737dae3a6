#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/text/errors.hpp"
#include "reports/figure_text.hpp"

namespace mlsim::reports {
namespace {

struct SortedResults {
  std::vector<ComparedAnswer> answers;
  std::optional<ValidationReport> validation;
};

// A saved answer has no name of its own, so one is made from its inputs.
std::string own_name(const Prediction& p) {
  return fmt::format("{} on {}, batch {}", p.inputs.workload, p.inputs.topology, figure_text(p.inputs.global_batch));
}

SortedResults sorted(std::vector<SavedResult> results) {
  SortedResults sorted;
  for (SavedResult& result : results) {
    if (auto* prediction = std::get_if<Prediction>(&result)) {
      const std::string name = own_name(*prediction);
      sorted.answers.push_back({name, std::move(*prediction), ""});
    } else if (auto* answers = std::get_if<std::vector<ComparedAnswer>>(&result)) {
      std::move(answers->begin(), answers->end(), std::back_inserter(sorted.answers));
    } else if (sorted.validation) {
      throw InputError("report", "takes one validation, and two were given");
    } else {
      sorted.validation = std::get<ValidationReport>(std::move(result));
    }
  }
  return sorted;
}

}  // namespace

Page saved_page(std::vector<SavedResult> results, const PageOrigin& origin) {
  const bool one = results.size() == 1 && std::holds_alternative<Prediction>(results.front());
  if (one) return prediction_page(std::get<Prediction>(results.front()), origin);
  SortedResults sorted_results = sorted(std::move(results));
  if (sorted_results.answers.empty()) return validation_report(*sorted_results.validation, origin);
  Page page = comparison_report(comparison_of(std::move(sorted_results.answers)), origin);
  if (!sorted_results.validation) return page;
  Page validation = validation_report(*sorted_results.validation, origin);
  page.answer.push_back(validation.answer.front());
  validation.sections.pop_back();  // the command, which stands in the page already
  page.sections.insert(page.sections.end() - 1, validation.sections.begin(), validation.sections.end());
  return page;
}

}  // namespace mlsim::reports
