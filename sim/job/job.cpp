#include "sim/job/job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "core/result/length_setting.hpp"
#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "sim/job/asked_price.hpp"
#include "sim/job/energy.hpp"
#include "sim/job/job_clock.hpp"
#include "sim/options/option_rules.hpp"
#include "sim/plan/step_choice.hpp"
#include "workloads/convergence/convergence.hpp"

namespace mlsim::sim {
namespace {

SamplesToTarget target_of(const PredictRequest& request, const Plan& plan) {
  const JobOptions& job = request.options.job;
  if (!job.has_length())
    return samples_to_target(plan.model.benchmark, plan.software.recipe, plan.global_batch(), plan.cluster->ranks());
  SamplesToTarget target;
  target.recipe = plan.software.recipe;
  const auto epoch = static_cast<double>(plan.model.dataset.train_samples);
  const double length = static_cast<double>(std::max<std::int64_t>(1, plan.model.tokens));
  if (job.epochs) target.samples = *job.epochs * epoch;
  if (job.samples) target.samples = *job.samples;
  if (job.steps) target.samples = *job.steps * plan.global_batch();
  if (job.tokens) target.samples = *job.tokens / length;
  target.epochs = job.epochs.value_or(target.samples / std::max(1.0, epoch));
  return target;
}

// The interval spans the 5th to 95th percentile of the runs of a submission; it is empty where epochs were given.
std::optional<Interval> samples_interval(const JobClockInputs& inputs) {
  if (inputs.epochs_given) return std::nullopt;
  const ConvergenceTable& table = convergence_table(inputs.benchmark);
  const Recipe& recipe = table.recipe(inputs.target.recipe);
  const auto samples = [&](double share) {
    return recipe.samples_per_epoch * epochs_quantile(table, recipe, inputs.global_batch, share, inputs.accelerators);
  };
  return Interval{samples(0.05), samples(0.95)};
}

// Writes "15 T tokens".
std::string tokens_text(double tokens) {
  for (const auto& [unit, size] : {std::pair("T", 1e12), {"G", 1e9}, {"M", 1e6}}) {
    if (tokens >= size) return fmt::format("{:g} {} tokens", tokens / size, unit);
  }
  return fmt::format("{:g} tokens", tokens);
}

// The text is "75.9 % top-1" or "the end of 90 epochs".
std::string target_text(const JobClockInputs& inputs) {
  if (!inputs.epochs_given) {
    const Recipe& recipe = job_recipe(inputs);
    const auto asked = asked_target(inputs.options);
    const RecipeTarget* named = asked ? reached(recipe, *asked) : nullptr;
    return named == nullptr ? recipe.target : named->text;
  }
  if (const auto& tokens = inputs.options.tokens) return fmt::format("the end of {}", tokens_text(*tokens));
  if (inputs.options.samples) return fmt::format("the end of {} samples", count_text(*inputs.options.samples));
  if (inputs.options.steps) return fmt::format("the end of {} steps", count_text(*inputs.options.steps));
  return fmt::format("the end of {:g} epoch{}", inputs.target.epochs, inputs.target.epochs == 1 ? "" : "s");
}

// A checkpoint holds weights and optimizer state, each fp32.
Bytes checkpoint_size(const Plan& plan) {
  return static_cast<double>(plan.model.parameters()) * (Bytes(4) + state_bytes_per_parameter(plan.step.optimizer));
}

// A network of a benchmark, and software that is named, run as their tables say; throughput that the user measured holds
// most of what goes beyond steps, and of adapters no training is on record.
std::optional<UsualOverrun> usual_overrun(const PredictRequest& request, const Plan& plan) {
  const JobOptions& job = request.options.job;
  const bool adapters_alone = 2 * plan.model.trainable_parameters() < plan.model.parameters();
  if (!job.has_length() || job.throughput || adapters_alone) return std::nullopt;
  const bool of_benchmark = !plan.model.benchmark.empty();
  if (plan.model.tokens > 0)
    return job.tokens || !of_benchmark ? std::optional(kOverrunOfLanguageModels) : std::nullopt;
  return of_benchmark || !request.options.software.stack.empty() ? std::nullopt : std::optional(kOverrunOfOthers);
}

// Gives all that is known without an end of the job.
JobClockInputs endless_inputs(const PredictRequest& request, const Plan& plan) {
  JobClockInputs inputs;
  inputs.benchmark = plan.software.recipe.empty() ? "" : plan.model.benchmark;
  inputs.epochs_given = request.options.job.has_length();
  inputs.global_batch = plan.global_batch();
  inputs.validation_samples = static_cast<double>(plan.model.dataset.validation_samples);
  inputs.network = plan.model.benchmark;
  inputs.stack = plan.software.stack.stack;
  inputs.family = name(plan.cluster->accelerator.family);
  inputs.accelerators = plan.cluster->ranks();
  inputs.hosts = plan.cluster->hosts;
  inputs.options = request.options.job;
  inputs.failures = request.options.failures;
  inputs.price = request.options.price;
  inputs.checkpoint_size = checkpoint_size(plan);
  inputs.language_model = plan.model.tokens > 0;
  inputs.usual_overrun = usual_overrun(request, plan);
  return inputs;
}

JobClockInputs clock_inputs(const PredictRequest& request, const Plan& plan, const JobRate& rate) {
  JobClockInputs inputs = endless_inputs(request, plan);
  inputs.target = target_of(request, plan);
  inputs.throughput = rate.throughput;
  if (rate.forward.value > 0) inputs.forward_rate = plan.global_batch() / rate.forward;
  return inputs;
}

// The text is "layers=24, sequence=512", the values of the network whose epochs are on record.
std::string published_values(const Model& model) {
  std::vector<std::string> values;
  for (const auto& [parameter, value] : model.changed) values.push_back(fmt::format("{}={}", parameter, value));
  return fmt::format("{}", fmt::join(values, ", "));
}

std::string no_target_warning(const Plan& plan) {
  if (plan.software.recipe.empty())
    return fmt::format(
        "no time to target and no cost: nothing is known of the convergence of {}; --set {}=N asks for so many",
        plan.model.name, length_setting(plan.model.tokens > 0));
  return fmt::format(
      "no time to target and no cost: {} is not the network whose epochs to {} are on record, which has {}; --set "
      "epochs=N asks for so many epochs, --set recipe={} for those of that network",
      plan.model.name, plan.model.target, published_values(plan.model), plan.software.recipe);
}

// Warns where the epochs to target are of another network or another optimizer.
std::vector<std::string> epochs_warnings(const PredictRequest& request, const Plan& plan) {
  std::vector<std::string> warnings;
  if (request.options.job.has_length()) return warnings;
  const std::string& recipe = plan.software.recipe;
  if (!plan.model.changed.empty())
    warnings.push_back(fmt::format("the epochs to target are those of recipe {}, of the network with {}", recipe,
                                   published_values(plan.model)));
  const Optimizer usual = recipe_optimizer(recipe, plan.model.family);
  if (plan.step.optimizer != usual)
    warnings.push_back(
        fmt::format("the epochs to target are those of recipe {}, which trains with {}: how many {} takes is not known",
                    recipe, name(usual), name(plan.step.optimizer)));
  return warnings;
}

// "Compute Engine always terminates preemptible instances after they run for 24 hours",
// cloud.google.com/compute/docs/instances/preemptible.
constexpr Seconds kPreemptibleLife = hours(24);

// Preemptible machines are cheap by the hour; these warnings say whether the job is too.
std::vector<std::string> preemptible_warnings(const PredictRequest& request, JobClockInputs inputs, const Plan& plan,
                                              Usd cost) {
  if (inputs.failures.preemptions_per_vm_hour == 0)
    return {
        "no preemption is counted: nothing published says how often they come; --set preemption_rate= takes a number "
        "for each machine and hour"};
  const auto price = on_demand_price(request.options.price, *plan.cluster);
  if (!price) return {};
  inputs.price.kind = PriceKind::on_demand;
  const Usd on_demand = job_cost(job_clock(inputs), price->value);
  if (!(on_demand < cost)) return {};
  return {fmt::format("preemptible is dearer here: on demand the job costs {}, preemptible {}", to_text(on_demand),
                      to_text(cost))};
}

// Adds the cost of the job, whose clock is known here.
void charge(JobAnswer& answer, const PredictRequest& request, const JobClockInputs& inputs, const Plan& plan,
            std::optional<UsdPerSecond> price) {
  std::vector<std::string>& warnings = answer.notes.warnings;
  const bool preemptible = inputs.price.preemptible();
  if (!price) {
    warnings.push_back(
        fmt::format("no {} price is known for this system, so no cost", preemptible ? "preemptible" : "on-demand"));
    return;
  }
  answer.cost = job_cost(*answer.job, *price);
  answer.cost_without_init = job_cost(*answer.job, *price, Charge::without_init);
  const auto bills = [&](Charge charge) {
    return job_cost_interval(*answer.job, inputs.price.billing, *price, *answer.time_interval, charge);
  };
  answer.cost_interval = bills(Charge::held);
  answer.cost_without_init_interval = bills(Charge::without_init);
  if (!preemptible) return;
  if (answer.job->billed > kPreemptibleLife) {
    warnings.push_back(fmt::format(
        "the job holds its machines for {}; Google Cloud ends preemptible ones after 24 h, which is not counted",
        to_text(answer.job->billed)));
  }
  for (auto& warning : preemptible_warnings(request, inputs, plan, *answer.cost))
    warnings.push_back(std::move(warning));
}

}  // namespace

std::optional<Prediction::Goodput> goodput_answer(const PredictRequest& request, const Plan& plan) {
  const JobClockInputs inputs = endless_inputs(request, plan);
  return inputs.language_model ? goodput(inputs) : std::nullopt;
}

std::vector<GoodputChange> goodput_changes(const PredictRequest& asked, const Plan& plan) {
  if (!goodput_answer(asked, plan)) return {};
  std::vector<GoodputChange> changes;
  const auto add = [&](const std::string& change, const std::function<void(FailureOptions&)>& make) {
    PredictRequest request = asked;
    make(request.options.failures);
    if (const auto changed = goodput_answer(request, plan)) changes.push_back({change, changed->share});
  };
  const FailureOptions& now = asked.options.failures;
  add("failures as asked", [](FailureOptions&) {});
  if (now.spares)
    add("one spare node more", [](FailureOptions& options) { ++*options.spares; });
  else
    add("no spare node", [](FailureOptions& options) { options.spares = 0; });
  const BytesPerSecond bandwidth = checkpoint_bandwidth(endless_inputs(asked, plan)).value;
  add("checkpoints twice as quick", [&](FailureOptions& options) { options.checkpoint_bandwidth = 2.0 * bandwidth; });
  add("restarts in half the time", [](FailureOptions& options) { options.restart.value = options.restart.value / 2; });
  add("half as many failures",
      [](FailureOptions& options) { options.time_between_failures.value = 2.0 * options.time_between_failures.value; });
  return changes;
}

JobAnswer job_answer(const PredictRequest& request, const Plan& plan, const JobRate& rate,
                     std::optional<UsdPerSecond> price) {
  JobAnswer answer;
  answer.goodput = goodput_answer(request, plan);
  if (!plan.software.to_target && !request.options.job.has_length()) {
    check_jobless(request.options, answer.goodput.has_value());
    answer.notes.warnings.push_back(no_target_warning(plan));
    return answer;
  }
  std::optional<JobClockInputs> known;
  try {
    known = clock_inputs(request, plan, rate);
  } catch (const Infeasible& e) {
    answer.notes.warnings.push_back(fmt::format("no time to target: {}", e.what()));
    return answer;
  }
  const JobClockInputs& inputs = *known;
  answer.job = job_clock(inputs);
  answer.target = target_text(inputs);
  answer.samples_interval = samples_interval(inputs);
  answer.time_to_target = time_to_target(*answer.job);
  answer.time_interval =
      lognormal_interval(answer.time_to_target->value, time_log_spread(inputs, rate.step_log_spread));
  answer.notes = {job_provenance(inputs, *answer.job), inputs.target.warnings};
  for (auto& warning : epochs_warnings(request, plan)) answer.notes.warnings.push_back(std::move(warning));
  charge(answer, request, inputs, plan, price);
  return answer;
}

}  // namespace mlsim::sim
