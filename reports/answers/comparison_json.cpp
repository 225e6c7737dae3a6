#include "reports/answers/comparison_json.hpp"

#include <nlohmann/json.hpp>

namespace mlsim::reports {
namespace {

using ComparisonJson = nlohmann::ordered_json;

template <class T>
ComparisonJson or_null(const std::optional<T>& value) {
  return value ? ComparisonJson(*value) : ComparisonJson();
}

ComparisonJson json_of(const ComparedAnswer& answer) {
  if (!answer.prediction) return {{"name", answer.name}, {"refusal", answer.refusal}};
  return {{"name", answer.name}, {"prediction", ComparisonJson::parse(to_json(*answer.prediction))}};
}

ComparisonJson json_of(const ComparedInput& input) {
  ComparisonJson values = ComparisonJson::array();
  for (const auto& value : input.values) values.push_back(or_null(value));
  return {{"name", input.name}, {"differs", input.differs()}, {"values", std::move(values)}};
}

ComparisonJson json_of(const ComparedFigure& figure, const std::vector<ComparedAnswer>& answers) {
  ComparisonJson values = ComparisonJson::array(), ratios = values, intervals = values;
  for (std::size_t i = 0; i < figure.values.size(); ++i) {
    values.push_back(or_null(figure.values[i]));
    ratios.push_back(or_null(figure.ratio(i)));
    intervals.push_back(or_null(figure.intervals[i]));
  }
  return {{"name", figure.name},
          {"unit", figure.unit},
          {"best", figure.best ? ComparisonJson(answers[*figure.best].name) : ComparisonJson()},
          {"values", std::move(values)},
          {"ratios", std::move(ratios)},
          {"intervals", std::move(intervals)}};
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  ComparisonJson answers = ComparisonJson::array(), inputs = answers, figures = answers;
  for (const ComparedAnswer& answer : comparison.answers) answers.push_back(json_of(answer));
  for (const ComparedInput& input : comparison.inputs) inputs.push_back(json_of(input));
  for (const ComparedFigure& figure : comparison.figures) figures.push_back(json_of(figure, comparison.answers));
  const ComparisonJson json{
      {"answers", std::move(answers)}, {"inputs", std::move(inputs)}, {"figures", std::move(figures)}};
  return json.dump(2) + "\n";
}

}  // namespace mlsim::reports
