#include <fmt/format.h>

#include "core/text/json_schema_writer.hpp"
#include "sim/options/options_text.hpp"
#include "studies/plan/plan.hpp"

namespace mlsim::studies {

template <class Io>
void describe(Io& io, const PlanRecord& record) {
  io.field("id", record.id);
  io.field("time_to_target_s", record.time, kPositive);
}

namespace {

// A GoalCandidate is a candidate with the goal that its times, bills and probability are for.
struct GoalCandidate {
  PlanCandidate candidate{};
  PlanGoal goal{};
};

// The words of a question are those with which `mlsim predict` asks the same.
struct QuestionWords {
  PredictRequest request{};
};

std::optional<std::string> whole_number(const std::optional<double>& number) {
  return number ? std::optional(fmt::format("{:.0f}", *number)) : std::nullopt;
}

template <class Io>
void describe(Io& io, const QuestionWords& words) {
  const PredictRequest& request = words.request;
  Settings settings = settings_of(request.options);
  const auto date = settings.extract("price_date");
  std::vector<std::string> others;
  for (const auto& [key, value] : settings) others.push_back(key + "=" + value);
  io.field("accelerators", fmt::to_string(request.accelerators));
  io.field_if_any("batch-per-accelerator", whole_number(request.batch_per_accelerator));
  io.field_if_any("fidelity", request.fidelity != Fidelity::folded ? std::optional(request.fidelity) : std::nullopt);
  io.field_if_any("global-batch", whole_number(request.global_batch));
  io.field_if_any("parallelism", if_any(request.parallelism));
  io.field_if_any("precision", request.precision);
  io.field_if_any("price-date", date ? std::optional(date.mapped()) : std::nullopt);
  io.field_if_any("seed", request.seed ? std::optional(fmt::to_string(*request.seed)) : std::nullopt);
  io.field("topology", request.topology);
  io.field("workload", request.workload);
  io.field("settings", others);
}

template <class Io>
void describe(Io& io, const GoalCandidate& judged) {
  const PlanCandidate& c = judged.candidate;
  io.field("system", c.system);
  io.field("accelerators", c.accelerators, NumberRange{1});
  io.field("global_batch", c.global_batch, kPositive);
  io.field("parallelism", c.parallelism);
  io.field("precision", c.precision);
  io.field("recipe", c.recipe);
  io.field("target", c.target);
  io.field("published", c.record);
  io.field("techniques", c.techniques);
  io.word("trust", c.trust);
  io.field("time_to_target_s", c.time, kNotNegative);
  io.field("time_log_spread", c.log_spread, kNotNegative);
  io.field("time_within_s", c.time_within(judged.goal.confidence), kNotNegative);
  io.field("beyond_clock_s", c.beyond_clock, kNotNegative);
  io.field("price_usd_per_s", c.price, kNotNegative);
  io.field("cost_usd", c.cost(), kNotNegative);
  io.field("cost_without_init_usd", c.cost_without_init(), kNotNegative);
  io.field("cost_within_usd", c.cost_within(judged.goal.confidence), kNotNegative);
  io.field("probability", c.probability(judged.goal), kShare);
  io.field("memory_bytes", c.memory, kNotNegative);
  io.field("memory_capacity_bytes", c.memory_capacity, kNotNegative);
  io.field("throughput_samples_per_s", c.throughput, kNotNegative);
  io.field("step_time_s", c.step_time, kNotNegative);
  io.field("scaling_efficiency", c.scaling_efficiency, kNotNegative);
  io.field("question", QuestionWords{c.request});
}

}  // namespace

template <class Io>
void describe(Io& io, const PlanGoal& goal) {
  io.field("deadline_s", goal.deadline, kPositive);
  io.field("budget_usd", goal.budget, kPositive);
  io.field("confidence", goal.confidence, kShare);
}

template <class Io>
void describe(Io& io, const LeftOut& system) {
  io.field("system", system.system);
  io.field("reason", system.reason);
}

template <class Io>
void describe(Io& io, const Sensitivity& sensitivity) {
  io.field("change", sensitivity.change);
  io.field("time_s", sensitivity.time);
  io.field("cost_usd", sensitivity.cost);
  io.field("worth_usd_per_node_hour", sensitivity.worth);
}

template <class Io>
void describe(Io& io, const TurningPoint& point) {
  io.field("change", point.change);
  io.field("candidate", point.candidate);
}

template <class Io>
void describe(Io& io, const PreemptibleChoice& choice) {
  io.field("cost_usd", choice.cost, kNotNegative);
  io.field("on_demand_usd", choice.on_demand, kNotNegative);
  io.field("break_even_per_machine_hour", choice.break_even, kNotNegative);
}

template <class Io>
void describe(Io& io, const MeasurementWorth& worth) {
  io.field("time_s", worth.time, kNotNegative);
  io.field("time_after_s", worth.time_after, kNotNegative);
  io.field("may_change_choice", worth.may_change, kShare);
}

template <class Io>
void describe(Io& io, const CapacityPlan& plan) {
  std::vector<GoalCandidate> candidates;
  for (const PlanCandidate& candidate : plan.candidates) candidates.push_back({candidate, plan.goal});
  io.field("feasible", plan.chosen.has_value());
  io.field("workload", plan.workload);
  io.field("target", plan.target);
  io.field("goal", plan.goal);
  io.field("chosen", plan.chosen);
  io.field("runner_up", plan.runner_up);
  io.field("cheapest_in_time", plan.cheapest);
  io.field("quickest_in_budget", plan.quickest);
  io.field("trusted", plan.trusted);
  io.field("knee", plan.knee);
  io.field("front", plan.front);
  io.field("candidates", candidates);
  io.field("left_out", plan.left_out);
  io.field("sensitivities", plan.sensitivities);
  io.field("turning_points", plan.turning_points);
  io.field("preemptible", plan.preemptible);
  io.field("measurement", plan.measurement);
}

std::string to_json(const CapacityPlan& plan) { return JsonWriter::text("plan", plan); }

}  // namespace mlsim::studies

template std::string mlsim::json_schema<mlsim::studies::CapacityPlan>();
