#include "sim/job/job_provenance.hpp"

#include <fmt/format.h>

#include "core/units_text.hpp"

namespace mlsim::sim {
namespace {

using Entries = std::vector<ProvenanceEntry>;

const Source kLogs{Provenance::published, "median of MLPerf Training v0.6-v1.0 logs by family and size", {}};
const Source kRules{Provenance::published, "MLPerf training rules, github.com/mlcommons/training_policies", {}};

void add_samples(Entries& entries, const JobClockInputs& inputs, const Recipe& recipe) {
  if (inputs.epochs_given) {
    entries.push_back({"samples",
                       fmt::format("{:.3g} epochs of {}", inputs.target.epochs,
                                   count_text(inputs.target.samples / inputs.target.epochs)),
                       {Provenance::assumed, "set by the user", {}}});
    return;
  }
  entries.push_back({"samples to target",
                     fmt::format("recipe {}: {:.3g} epochs of {}", recipe.name, inputs.target.epochs,
                                 count_text(recipe.samples_per_epoch)),
                     recipe.source});
  entries.push_back({"spread of samples to target", fmt::format("{:.3g} of the logarithm", inputs.target.log_spread),
                     convergence_table(inputs.benchmark).spread_source});
}

ProvenanceEntry clock_entry(const JobClockInputs& inputs, const Recipe& recipe) {
  if (inputs.rules.clock == ClockRule::wall)
    return {"clock", "from the start of the program", {Provenance::assumed, "set by the user", {}}};
  if (!recipe.clock_era.starts_with("v")) return {"clock", "as the recipe's source counts", recipe.source};
  return {"clock",
          recipe.clock_era == "v0.5" ? "MLPerf v0.5: from the start of the program"
                                     : "MLPerf from v0.6: from the first touch of the data",
          kRules};
}

void add_initialisation(Entries& entries, const Recipe& recipe, const Prediction::Job& job) {
  const bool timed = job.clock == "wall";
  entries.push_back({"initialisation",
                     job.init.value > 0 ? to_text(job.init) + (timed ? ", on the clock" : ", billed but off the clock")
                     : recipe.init_billed ? "inside the start-up that the clock counts"
                                          : "left out",
                     kLogs});
  if (job.startup.value > 0)
    entries.push_back(
        {"start-up", to_text(job.startup) + ", taken out of the pauses, which were fitted with it", kLogs});
}

void add_self_play(Entries& entries, const JobClockInputs& inputs, const Recipe& recipe) {
  if (!recipe.self_play) return;
  entries.push_back({"self-play",
                     fmt::format("{} forward passes an iteration at {:.3g}/s, before its training; an upper bound, "
                                 "since positions that a search reuses are counted",
                                 count_text(recipe.self_play->positions_per_iteration()), inputs.forward_rate.value),
                     recipe.self_play->source});
}

void add_checkpoints(Entries& entries, const JobClockInputs& inputs, const Prediction::Job& job) {
  if (job.checkpoints == 0) {
    const JobRules& rules = inputs.rules;
    const bool wanted = rules.checkpoint == CheckpointRule::on || rules.checkpoint_interval ||
                        (rules.checkpoint == CheckpointRule::automatic && job.failures + job.preemptions > 0);
    const char* reason = rules.checkpoint == CheckpointRule::off ? "set by the user"
                         : wanted                                ? "the interval between two is longer than the job"
                                                                 : "MLPerf jobs write none that they wait for";
    entries.push_back({"checkpoints", "none", {Provenance::assumed, reason, {}}});
    return;
  }
  entries.push_back({"checkpoints",
                     fmt::format("{} at {}, every {} of work", to_text(inputs.checkpoint_size),
                                 to_text(inputs.checkpoint_bandwidth.value), to_text(job.checkpoint_interval)),
                     inputs.checkpoint_bandwidth.source});
}

void add_failures(Entries& entries, const JobClockInputs& inputs, const Prediction::Job& job) {
  const JobRules& rules = inputs.rules;
  if (rules.failures) {
    entries.push_back({"failures",
                       fmt::format("one in {} on each accelerator, {:.3g} in this job",
                                   to_text(rules.time_between_failures.value), job.failures),
                       rules.time_between_failures.source});
  } else {
    entries.push_back(
        {"failures", "none", {Provenance::assumed, "published scores are of runs that did not fail", {}}});
  }
  if (rules.preemptible) {
    entries.push_back({"preemptions",
                       fmt::format("{} an hour on each of {} machines, {:.3g} in this job",
                                   rules.preemptions_per_vm_hour, inputs.hosts, job.preemptions),
                       {Provenance::assumed, "preemption_rate; no published row measures it", {}}});
  }
  if (job.failures + job.preemptions > 0)
    entries.push_back({"restart", to_text(rules.restart.value), rules.restart.source});
}

}  // namespace

std::vector<ProvenanceEntry> job_provenance(const JobClockInputs& inputs, const Prediction::Job& job) {
  const Recipe& recipe = job_recipe(inputs);
  Entries entries;
  add_samples(entries, inputs, recipe);
  entries.push_back(clock_entry(inputs, recipe));
  const EvaluationPause pause = job_pause(inputs);
  entries.push_back({"evaluation pause",
                     inputs.rules.evaluate ? fmt::format("{}, {} times", pause_text(pause), job.evaluations)
                                           : "left out, training only",
                     pause.source});
  add_initialisation(entries, recipe, job);
  add_self_play(entries, inputs, recipe);
  add_checkpoints(entries, inputs, job);
  add_failures(entries, inputs, job);
  if (job.teardown.value > 0) entries.push_back({"tear-down", to_text(job.teardown), inputs.rules.teardown.source});
  entries.push_back(
      {"billing", fmt::format("by the {}", name(inputs.rules.billing)), billing_source(inputs.rules.billing)});
  return entries;
}

}  // namespace mlsim::sim
