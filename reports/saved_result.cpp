#include "reports/saved_result.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/text/errors.hpp"

namespace mlsim::reports {
namespace {

using SavedJson = nlohmann::ordered_json;

SavedJson saved_json(const std::string& text, const std::string& file) {
  try {
    return SavedJson::parse(text);
  } catch (const SavedJson::parse_error& e) {
    throw InputError(file, fmt::format("is no JSON of a result: {} at byte {}",
                                       text.empty() ? "it ends" : "it breaks off or goes wrong", e.byte));
  } catch (const SavedJson::out_of_range&) {
    throw InputError(file, "is no JSON of a result: a number in it is beyond 1e308");
  }
}

std::vector<ComparedAnswer> saved_answers(const SavedJson& json, const std::string& file) {
  std::vector<ComparedAnswer> answers;
  for (const SavedJson& answer : json.at("answers")) {
    ComparedAnswer& next = answers.emplace_back();
    next.name = answer.at("name").get<std::string>();
    const std::string place = fmt::format("{}: answers[{}].prediction", file, answers.size() - 1);
    if (answer.contains("prediction")) next.prediction = prediction_from_json(answer.at("prediction").dump(), place);
    if (!next.prediction) next.refusal = answer.at("refusal").get<std::string>();
  }
  if (answers.empty()) throw InputError(file, "compares no answers");
  return answers;
}

std::optional<double> saved_number(const SavedJson& json, std::string_view key) {
  return json.contains(key) && !json.at(key).is_null() ? std::optional(json.at(key).get<double>()) : std::nullopt;
}

CaseResult saved_case(const SavedJson& json) {
  CaseResult result;
  result.what.id = json.at("id").get<std::string>();
  result.what.source = json.at("group").get<std::string>();
  result.what.metric = parse<Metric>(json.at("metric").get<std::string>());
  result.what.role = parse<Role>(json.at("role").get<std::string>());
  result.what.value = json.at("value").get<double>();
  result.predicted = saved_number(json, "predicted");
  for (std::size_t b = 0; b < kBaselines; ++b) result.baselines[b] = saved_number(json, name(static_cast<Baseline>(b)));
  if (const SavedJson& range = json.at("interval"); !range.is_null())
    result.interval = Interval{range.at(0).get<double>(), range.at(1).get<double>()};
  if (!result.predicted) result.refusal = json.value("refused", "refused");
  return result;
}

ValidationReport saved_validation(const SavedJson& json) {
  ValidationReport report;
  for (const SavedJson& one : json.at("cases")) report.cases.push_back(saved_case(one));
  report.groups = group_scores(report.cases);
  report.bounds = published_bounds();
  return report;
}

}  // namespace

SavedResult saved_result(const std::string& text, const std::string& file) {
  const SavedJson json = saved_json(text, file);
  try {
    if (json.is_object() && json.contains("answers")) return saved_answers(json, file);
    if (json.is_object() && json.contains("cases") && json.contains("groups")) return saved_validation(json);
    if (json.is_object() && json.contains("inputs") && json.contains("step")) return prediction_from_json(text, file);
  } catch (const SavedJson::exception& e) {
    const std::string_view said = e.what();
    throw InputError(file, fmt::format("is no whole result: {}", said.substr(said.find(']') + 2)));
  }
  if (json.is_object() && json.contains("goal") && json.contains("front"))
    throw InputError(
        file, "is a plan; its page comes from `mlsim plan ... --report FILE`, which asks for the step's details");
  throw InputError(file, "holds no result of `mlsim predict`, `compare` or `validate published` with --format json");
}

}  // namespace mlsim::reports
