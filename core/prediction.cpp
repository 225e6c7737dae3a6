#include "core/prediction.hpp"

#include "core/json_reader.hpp"
#include "core/json_writer.hpp"
#include "core/provenance_json.hpp"

namespace mlsim {
namespace {

constexpr int kSchemaVersion = 1;

}  // namespace

template <class Io>
void describe(Io& io, Prediction::Inputs& inputs) {
  io.field("topology", inputs.topology);
  io.field("workload", inputs.workload);
  io.field("target", inputs.target);
  io.field("accelerator", inputs.accelerator);
  io.field("accelerators", inputs.accelerators, Bounds{1});
  io.field("parallelism", inputs.parallelism);
  io.field("precision", inputs.precision);
  io.field("global_batch", inputs.global_batch, kPositive);
  io.field("batch_per_accelerator", inputs.batch_per_accelerator, kPositive);
  io.field("recipe", inputs.recipe);
  io.field("collective", inputs.collective);
  io.field("fidelity", inputs.fidelity);
  io.field("seed", inputs.seed);
  io.field("settings", inputs.settings);
}

template <class Io>
void describe(Io& io, StepBreakdown& step) {
  io.field("time_s", step.time, kNotNegative);
  io.field("compute_s", step.compute, kNotNegative);
  io.field("communication_s", step.communication, kNotNegative);
  io.field("exposed_communication_s", step.exposed_communication, kNotNegative);
  io.field("optimizer_s", step.optimizer, kNotNegative);
  io.field("input_wait_s", step.input_wait, kNotNegative);
  io.field("straggler_wait_s", step.straggler_wait, kNotNegative);
  io.field("bubble_s", step.bubble, kNotNegative);
  io.field("overhead_s", step.overhead, kNotNegative);
}

template <class Io>
void describe(Io& io, Prediction::Memory& memory) {
  io.field("per_accelerator_bytes", memory.per_accelerator, kNotNegative);
  io.field("fits", memory.fits);
  io.field("largest_batch_per_accelerator", memory.largest_batch_per_accelerator, kNotNegative);
}

template <class Io>
void describe(Io& io, Prediction::Job& job) {
  io.field("samples_to_target", job.samples_to_target, kNotNegative);
  io.field("epochs_to_target", job.epochs_to_target, kNotNegative);
  io.field("steps", job.steps, kNotNegative);
  io.field("init_s", job.init, kNotNegative);
  io.field("train_s", job.train, kNotNegative);
  io.field("evaluation_s", job.evaluation, kNotNegative);
  io.field("checkpoint_s", job.checkpoint, kNotNegative);
  io.field("restart_s", job.restart, kNotNegative);
}

template <class Io>
void describe(Io& io, Prediction::Intervals& interval) {
  io.field("step_time_s", interval.step_time);
  io.field("time_to_accuracy_s", interval.time_to_accuracy);
  io.field("cost_usd", interval.cost);
}

template <class Io>
void describe(Io& io, Prediction::Simulation& simulation) {
  io.field("fidelity", simulation.fidelity);
  io.field("engine", simulation.engine);
  io.field("ranks", simulation.ranks, Bounds{1});
  io.field("classes", simulation.classes);
  io.field("flows", simulation.flows);
  io.field("events", simulation.events);
  io.field("wall_s", simulation.wall_s, kNotNegative);
}

template <class Io>
void describe(Io& io, ProvenanceEntry& entry) {
  io.field("figure", entry.figure);
  io.field("value", entry.value);
  io.field("source", entry.source);
}

template <class Io>
void describe(Io& io, Prediction& p) {
  int version = kSchemaVersion;
  io.field("schema_version", version, Bounds{kSchemaVersion, kSchemaVersion});
  io.field("inputs", p.inputs);
  io.field("step", p.step);
  io.field("throughput_samples_per_s", p.throughput, kNotNegative);
  io.field("speedup", p.speedup, kNotNegative);
  io.field("scaling_efficiency", p.scaling_efficiency, kNotNegative);
  io.field("mfu", p.mfu, kNotNegative);
  io.field("memory", p.memory);
  io.field("job", p.job);
  io.field("time_to_accuracy_s", p.time_to_accuracy, kNotNegative);
  io.field("cost_usd", p.cost, kNotNegative);
  io.field("interval", p.interval);
  io.field("distance", p.distance);
  io.field("simulation", p.simulation);
  io.field("provenance", p.provenance);
  io.field("warnings", p.warnings);
}

std::string to_json(const Prediction& prediction) {
  Prediction copy = prediction;  // `describe` serves both ways, so it takes no const
  JsonWriter writer("prediction");
  describe(writer, copy);
  return writer.text();
}

Prediction prediction_from_json(const std::string& text, const std::string& file) {
  const Json json = parse_json(text, file);
  Prediction prediction;
  JsonReader reader(json, file);
  describe(reader, prediction);
  reader.finish();
  return prediction;
}

}  // namespace mlsim
