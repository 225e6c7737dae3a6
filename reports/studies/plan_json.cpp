#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/pages/plan_page.hpp"
#include "sim/options/options_text.hpp"

namespace mlsim::reports {
namespace {

using PlanJson = nlohmann::ordered_json;

template <class Q>
PlanJson number_or_null(const std::optional<Q>& quantity) {
  return quantity ? PlanJson(quantity->value) : PlanJson();
}

PlanJson index_or_null(const std::optional<std::size_t>& index) { return index ? PlanJson(*index) : PlanJson(); }

// These are the words with which `mlsim predict` asks the same.
PlanJson words_of(const PredictRequest& request) {
  PlanJson json{{"accelerators", fmt::to_string(request.accelerators)}};
  if (request.batch_per_accelerator)
    json["batch-per-accelerator"] = fmt::format("{:.0f}", *request.batch_per_accelerator);
  if (request.fidelity != Fidelity::folded) json["fidelity"] = name(request.fidelity);
  if (request.global_batch) json["global-batch"] = fmt::format("{:.0f}", *request.global_batch);
  if (!request.parallelism.empty()) json["parallelism"] = request.parallelism;
  if (request.precision) json["precision"] = name(*request.precision);
  Settings settings = settings_of(request.options);
  if (const auto date = settings.extract("price_date")) json["price-date"] = date.mapped();
  if (request.seed) json["seed"] = fmt::to_string(*request.seed);
  json["topology"] = request.topology;
  json["workload"] = request.workload;
  json["settings"] = PlanJson::array();
  for (const auto& [key, value] : settings) json["settings"].push_back(key + "=" + value);
  return json;
}

PlanJson json_of(const PlanCandidate& c, const PlanGoal& goal) {
  return {{"system", c.system},
          {"accelerators", c.accelerators},
          {"global_batch", c.global_batch},
          {"parallelism", c.parallelism},
          {"precision", c.precision},
          {"recipe", c.recipe},
          {"techniques", c.techniques},
          {"trust", name(c.trust)},
          {"time_to_target_s", c.time.value},
          {"time_log_spread", c.log_spread},
          {"time_within_s", c.time_within(goal.confidence).value},
          {"beyond_clock_s", c.beyond_clock.value},
          {"price_usd_per_s", number_or_null(c.price)},
          {"cost_usd", number_or_null(c.cost())},
          {"cost_within_usd", number_or_null(c.cost_within(goal.confidence))},
          {"probability", c.probability(goal)},
          {"memory_bytes", c.memory.value},
          {"memory_capacity_bytes", c.memory_capacity.value},
          {"throughput_samples_per_s", c.throughput.value},
          {"step_time_s", c.step_time.value},
          {"scaling_efficiency", c.scaling_efficiency},
          {"question", words_of(c.request)}};
}

PlanJson json_of(const Sensitivity& s) {
  return {{"change", s.change},
          {"time_s", s.time.value},
          {"cost_usd", number_or_null(s.cost)},
          {"worth_usd_per_node_hour", number_or_null(s.worth)}};
}

PlanJson changes_json(const CapacityPlan& plan) {
  PlanJson json{{"sensitivities", PlanJson::array()}, {"turning_points", PlanJson::array()}};
  for (const Sensitivity& s : plan.sensitivities) json["sensitivities"].push_back(json_of(s));
  for (const TurningPoint& point : plan.turning_points)
    json["turning_points"].push_back({{"change", point.change}, {"candidate", point.candidate}});
  json["preemptible"] = nullptr;
  if (const auto& p = plan.preemptible)
    json["preemptible"] = {{"cost_usd", p->cost.value},
                           {"on_demand_usd", p->on_demand.value},
                           {"break_even_per_machine_hour", p->break_even ? PlanJson(*p->break_even) : PlanJson()}};
  json["measurement"] = nullptr;
  if (const auto& m = plan.measurement)
    json["measurement"] = {{"time_s", m->time}, {"time_after_s", m->time_after}, {"may_change_choice", m->may_change}};
  return json;
}

}  // namespace

std::string plan_json(const CapacityPlan& plan) {
  PlanJson json{{"feasible", plan.chosen.has_value()},
                {"workload", plan.workload},
                {"target", plan.target},
                {"goal",
                 {{"deadline_s", number_or_null(plan.goal.deadline)},
                  {"budget_usd", number_or_null(plan.goal.budget)},
                  {"confidence", plan.goal.confidence}}},
                {"chosen", index_or_null(plan.chosen)},
                {"runner_up", index_or_null(plan.runner_up)},
                {"cheapest_in_time", index_or_null(plan.cheapest)},
                {"quickest_in_budget", index_or_null(plan.quickest)},
                {"trusted", index_or_null(plan.trusted)},
                {"knee", index_or_null(plan.knee)},
                {"front", plan.front},
                {"candidates", PlanJson::array()},
                {"left_out", PlanJson::array()}};
  for (const PlanCandidate& candidate : plan.candidates) json["candidates"].push_back(json_of(candidate, plan.goal));
  for (const LeftOut& system : plan.left_out)
    json["left_out"].push_back({{"system", system.system}, {"reason", system.reason}});
  json.update(changes_json(plan));
  return json.dump(2) + "\n";
}

}  // namespace mlsim::reports
