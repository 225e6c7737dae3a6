#include "reports/validation/convergence_errors_json.hpp"

#include <nlohmann/json.hpp>

#include "validation/scores/convergence_errors.hpp"

namespace mlsim::reports {
namespace {

nlohmann::ordered_json json_of(const LeftOutErrors& left) {
  return {{"count", left.error.count},       {"unanswered", left.unanswered},   {"median_abs_error", left.error.median},
          {"p90_abs_error", left.error.p90}, {"max_abs_error", left.error.max}, {"bias", left.error.bias},
          {"coverage", left.coverage}};
}

nlohmann::ordered_json json_of(const BenchmarkErrors& errors) {
  nlohmann::ordered_json json{{"benchmark", errors.benchmark}, {"results", errors.results}};
  for (const LeaveOut how : kLeaveOuts) json[name(how)] = json_of(errors.by(how));
  return json;
}

}  // namespace

std::string convergence_errors_json(const ConvergenceErrors& errors) {
  nlohmann::ordered_json json;
  json["benchmarks"] = nlohmann::ordered_json::array();
  for (const BenchmarkErrors& b : errors.benchmarks) json["benchmarks"].push_back(json_of(b));
  json["all"] = json_of(errors.all);
  for (const MedianBound& bound : kConvergenceBounds) json["bounds"][name(bound.how)] = bound.median;
  json["misses"] = misses(errors);
  return json.dump(2) + "\n";
}

}  // namespace mlsim::reports
