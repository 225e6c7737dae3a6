#include "sim/job/energy.hpp"

#include <fmt/format.h>

namespace mlsim::sim {
namespace {

ProvenanceEntry power_entry(const Cluster& cluster, const EnergyOptions& options) {
  Statement said(named_count("accelerators", cluster.ranks()), " x ",
                 named("rated_power_w", cluster.accelerator.watts.value), " W");
  if (options.load.value != 1) said.add(" x ", named_percent("load", options.load.value), " of it drawn");
  said.add("; hosts and network are not counted");
  return {"power", said, cluster.accelerator.watts.source};
}

using Entries = std::vector<ProvenanceEntry>;

const Source kLogs{Provenance::published, "median of MLPerf Training v0.6-v1.0 logs by family and size", {}};
const Source kRules{Provenance::published, "MLPerf training rules, github.com/mlcommons/training_policies", {}};

void add_samples(Entries& entries, const JobClockInputs& inputs, const Recipe& recipe) {
  const JobOptions& job = inputs.options;
  if (job.tokens || job.steps) {
    const NamedQuantity length = job.tokens ? named("tokens", *job.tokens) : named("steps", *job.steps);
    entries.push_back({"samples",
                       {length, job.tokens ? " tokens = " : " steps = ", named_count("samples", inputs.target.samples)},
                       {Provenance::assumed, "set by the user", {}}});
    return;
  }
  if (inputs.epochs_given) {
    entries.push_back({"samples",
                       {named("epochs", inputs.target.epochs), " epochs of ",
                        named_count("samples", inputs.target.samples / inputs.target.epochs)},
                       {Provenance::assumed, "set by the user", {}}});
    return;
  }
  entries.push_back({"samples to target",
                     {"recipe ", named("recipe", recipe.name), ": ", named("epochs", inputs.target.epochs),
                      " epochs of ", named_count("samples", recipe.samples_per_epoch)},
                     recipe.source});
  entries.push_back({"spread of samples to target",
                     {named("log_spread", inputs.target.log_spread), " of the logarithm"},
                     convergence_table(inputs.benchmark).spread_source});
}

ProvenanceEntry clock_entry(const JobClockInputs& inputs, const Recipe& recipe) {
  if (inputs.options.clock == ClockRule::wall)
    return {"clock", "from the start of the program", {Provenance::assumed, "set by the user", {}}};
  if (!mlperf_round(recipe.clock_era)) return {"clock", "as the recipe's source counts", recipe.source};
  return {"clock",
          recipe.clock_era == "v0.5" ? "MLPerf v0.5: from the start of the program"
                                     : "MLPerf from v0.6: from the first touch of the data",
          kRules};
}

ProvenanceEntry initialisation_entry(const JobClockInputs& inputs, const Recipe& recipe, const Prediction::Job& job) {
  if (!recipe.init_billed) return {"initialisation", "left out", recipe.source};
  if (job.init.value == 0) return {"initialisation", "inside the start-up that the clock counts", kLogs};
  const Initialisation start = job_initialisation(inputs);
  Statement said(named("time", job.init),
                 job.clock == ClockRule::wall ? ", on the clock" : ", billed but off the clock");
  if (!start.framework.empty()) said.add(", with ", named("framework", start.framework));
  return {"initialisation", said, start.source};
}

void add_initialisation(Entries& entries, const JobClockInputs& inputs, const Recipe& recipe,
                        const Prediction::Job& job) {
  entries.push_back(initialisation_entry(inputs, recipe, job));
  if (job.startup.value > 0)
    entries.push_back(
        {"start-up", {named("time", job.startup), ", taken out of the pauses, which were fitted with it"}, kLogs});
}

void add_self_play(Entries& entries, const JobClockInputs& inputs, const Recipe& recipe) {
  if (!recipe.self_play) return;
  entries.push_back(
      {"self-play",
       {named_count("passes", recipe.self_play->positions_per_iteration()), " forward passes an iteration at ",
        NamedQuantity{"rate", "1/s", inputs.forward_rate.value, fmt::format("{:.3g}/s", inputs.forward_rate.value)},
        ", before its training; an upper bound, since positions that a search reuses are counted"},
       recipe.self_play->source});
}

void add_overrun(Entries& entries, const JobClockInputs& inputs, const Prediction::Job& job) {
  if (job.overrun.value == 0) return;
  Statement text{named_percent("share", job.overrun / job.train), " of the steps' time beyond it"};
  Source source{Provenance::assumed, "set by the user", ""};
  if (!inputs.options.overrun)
    source = {Provenance::published,
              fmt::format("the median of trainings of {} whose papers and model cards give their time or GPU hours, "
                          "validation/published/{}; --set overrun=0 leaves it out",
                          inputs.usual_overrun->trainings, inputs.usual_overrun->table),
              "2018 to 2025"};
  entries.push_back({"overrun", std::move(text), source});
}

void add_checkpoints(Entries& entries, const JobClockInputs& inputs, const Prediction::Job& job) {
  if (job.checkpoints == 0) {
    const FailureOptions& rules = inputs.failures;
    const bool wanted = rules.checkpoint == CheckpointRule::on || rules.checkpoint_interval ||
                        (rules.checkpoint == CheckpointRule::automatic && job.failures + job.preemptions > 0);
    const char* reason = rules.checkpoint == CheckpointRule::off ? "set by the user"
                         : wanted                                ? "the interval between two is longer than the job"
                                                                 : "MLPerf jobs write none that they wait for";
    entries.push_back({"checkpoints", "none", {Provenance::assumed, reason, {}}});
    return;
  }
  const Sourced<BytesPerSecond> bandwidth = checkpoint_bandwidth(inputs);
  entries.push_back({"checkpoints",
                     {named("size", inputs.checkpoint_size), " at ", named("bandwidth", bandwidth.value), ", every ",
                      named("interval", job.checkpoint_interval), " of work"},
                     bandwidth.source});
}

void add_failures(Entries& entries, const JobClockInputs& inputs, const Prediction::Job& job) {
  const FailureOptions& rules = inputs.failures;
  if (rules.failures) {
    entries.push_back({"failures",
                       {"one in ", named("time_between", rules.time_between_failures.value), " on each accelerator, ",
                        named("failures", job.failures), " in this job"},
                       rules.time_between_failures.source});
  } else {
    entries.push_back(
        {"failures", "none", {Provenance::assumed, "published scores are of runs that did not fail", {}}});
  }
  if (inputs.price.preemptible()) {
    entries.push_back(
        {"preemptions",
         {named_exact("an_hour", rules.preemptions_per_vm_hour), " an hour on each of ",
          named("machines", inputs.hosts), " machines, ", named("preemptions", job.preemptions), " in this job"},
         {Provenance::assumed, "preemption_rate; no published row measures it", {}}});
  }
  if (job.failures + job.preemptions > 0)
    entries.push_back({"restart", named("time", rules.restart.value), rules.restart.source});
  if (rules.failures && rules.spares)
    entries.push_back(
        {"spare nodes",
         {named("spares", *rules.spares), ", broken ones are back in ", named("repair", rules.repair.value)},
         rules.repair.source});
}

}  // namespace

EnergyAnswer energy_answer(const EnergyOptions& options, const Cluster& cluster, std::optional<Seconds> held) {
  constexpr double kKilowattHour = 3.6e6;  // J
  const double rated = cluster.accelerator.watts.value;
  if (!(rated > 0)) return {};
  Prediction::Energy energy;
  energy.power_w = rated * options.load.value * cluster.ranks();
  energy.pue = options.pue.value;
  energy.carbon_intensity = options.carbon_intensity.value;
  if (held) {
    energy.job_j = energy.power_w * held->value * energy.pue;
    energy.carbon_kg = *energy.job_j / kKilowattHour * energy.carbon_intensity;
  }
  Notes notes{{power_entry(cluster, options),
               {"PUE", Statement(named_exact("pue", energy.pue)), options.pue.source},
               {"carbon intensity",
                {named_exact("carbon_intensity", energy.carbon_intensity), " kg of carbon dioxide (equivalent) a kWh"},
                options.carbon_intensity.source}},
              {}};
  return {energy, std::move(notes)};
}

std::vector<ProvenanceEntry> job_provenance(const JobClockInputs& inputs, const Prediction::Job& job) {
  const Recipe& recipe = job_recipe(inputs);
  Entries entries;
  add_samples(entries, inputs, recipe);
  entries.push_back(clock_entry(inputs, recipe));
  const EvaluationPause pause = job_pause(inputs);
  entries.push_back({"evaluation pause",
                     inputs.options.evaluate
                         ? Statement(pause_statement(pause), ", ", named_exact("times", job.evaluations), " times")
                         : Statement("left out, training only"),
                     pause.source});
  add_initialisation(entries, inputs, recipe, job);
  add_self_play(entries, inputs, recipe);
  add_overrun(entries, inputs, job);
  add_checkpoints(entries, inputs, job);
  add_failures(entries, inputs, job);
  if (job.teardown.value > 0)
    entries.push_back({"tear-down", named("time", job.teardown), inputs.price.teardown.source});
  entries.push_back(
      {"billing", {"by the ", named("unit", name(inputs.price.billing))}, billing_source(inputs.price.billing)});
  return entries;
}

}  // namespace mlsim::sim
