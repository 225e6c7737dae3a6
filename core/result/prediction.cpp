#include "core/result/prediction.hpp"

#include "core/profile/provenance_json.hpp"
#include "core/result/next_measurement_json.hpp"
#include "core/text/json_reader.hpp"
#include "core/text/json_schema_writer.hpp"
#include "core/text/statement_json.hpp"

namespace mlsim {
namespace {

constexpr int kPredictionSchema = 2;  // 1: time_to_target_s was time_to_accuracy_s

// No text where there is none.
std::string_view word_if_any(const std::optional<PriceKind>& kind) { return kind ? name(*kind) : ""; }
std::optional<PriceKind> price_kind_if_any(const std::string& word) {
  return word.empty() ? std::nullopt : std::optional(parse<PriceKind>(word));
}

}  // namespace

template <class Io>
void describe(Io& io, LayoutChoice& choice) {
  io.field("layout", choice.layout);
  io.field("step_time_s", choice.step_time, kPositive);
  io.field("memory_bytes", choice.memory, kNotNegative);
  io.field("bubble_share", choice.bubble);
  io.field("limit", choice.limit);
}

template <class Io>
void describe(Io& io, Prediction::Inputs& inputs) {
  io.field("topology", inputs.topology);
  io.field("workload", inputs.workload);
  io.field("target", inputs.target);
  io.field("sample", inputs.sample);
  io.field("accelerator", inputs.accelerator);
  io.field("accelerators", inputs.accelerators, NumberRange{1});
  io.field("parallelism", inputs.parallelism);
  io.word("precision", inputs.precision);
  io.field("global_batch", inputs.global_batch, kPositive);
  io.field("batch_per_accelerator", inputs.batch_per_accelerator, kPositive);
  io.field("recipe", inputs.recipe);
  std::string all = joined(inputs.exchanges, "; ").text;  // follows from the list behind it
  io.field("collective", all);
  io.field("exchanges", inputs.exchanges);
  io.word("fidelity", inputs.fidelity);
  io.field("seed", inputs.seed);
  io.field("settings", inputs.settings);
  io.field("chosen", inputs.chosen);
  io.field("stack", inputs.stack);
  io.field("optimizer", inputs.optimizer);
  io.field("dataset", inputs.dataset);
  io.field("sequence", inputs.sequence, NumberRange{1});
  io.word("price_kind", inputs.price_kind, word_if_any, price_kind_if_any);
  io.field("price_region", inputs.price_region);
  io.field("price_date", inputs.price_date);
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
  io.field("all_to_all_s", step.all_to_all, kNotNegative);
  io.field_if_any("launch_s", step.launch, kNotNegative);
}

template <class Io>
void describe(Io& io, StepDistribution& distribution) {
  io.field("steps", distribution.steps, NumberRange{1});
  io.field("mean_s", distribution.mean, kNotNegative);
  io.field("median_s", distribution.median, kNotNegative);
  io.field("p95_s", distribution.p95, kNotNegative);
  io.field("p99_s", distribution.p99, kNotNegative);
  io.field("even_s", distribution.even, kNotNegative);
  io.field("absorbed_s", distribution.absorbed);
}

template <class Io>
void describe(Io& io, Prediction::MemoryParts& parts) {
  io.field("weights_bytes", parts.weights, kNotNegative);
  io.field("gradients_bytes", parts.gradients, kNotNegative);
  io.field("optimizer_state_bytes", parts.optimizer_state, kNotNegative);
  io.field("activations_bytes", parts.activations, kNotNegative);
  io.field("workspace_bytes", parts.workspace, kNotNegative);
  io.field("buffers_bytes", parts.buffers, kNotNegative);
}

template <class Io>
void describe(Io& io, Prediction::Memory& memory) {
  io.field("per_accelerator_bytes", memory.per_accelerator, kNotNegative);
  io.field("capacity_bytes", memory.capacity, kNotNegative);
  io.field("parts", memory.parts);
  io.field("fits", memory.fits);
  io.field("largest_batch_per_accelerator", memory.largest_batch_per_accelerator, kNotNegative);
}

template <class Io>
void describe(Io& io, Prediction::Input& input) {
  io.field("samples_per_s", input.rate, kNotNegative);
  io.field("slowest", input.slowest);
  io.field("limits", input.limits);
}

template <class Io>
void describe(Io& io, Prediction::Collective& collective) {
  io.word("kind", collective.kind);
  io.field("payload_bytes", collective.payload, kPositive);
  io.field("backend", collective.backend);
  io.field("algorithm", collective.algorithm);
  io.field("messages", collective.messages, kNotNegative);
  io.field("algorithm_bandwidth_bytes_per_s", collective.algorithm_bandwidth, kNotNegative);
  io.field("bus_bandwidth_bytes_per_s", collective.bus_bandwidth, kNotNegative);
  io.field("latency_s", collective.latency, kNotNegative);
  io.field("transfer_s", collective.transfer, kNotNegative);
}

template <class Io>
void describe(Io& io, Prediction::Job& job) {
  io.field("samples_to_target", job.samples_to_target, kNotNegative);
  io.field("epochs_to_target", job.epochs_to_target, kNotNegative);
  io.field("steps", job.steps, kNotNegative);
  io.field("evaluations", job.evaluations, kNotNegative);
  io.field("checkpoints", job.checkpoints, kNotNegative);
  io.field("failures", job.failures, kNotNegative);
  io.field("preemptions", job.preemptions, kNotNegative);
  io.word("clock", job.clock);
  io.field("init_s", job.init, kNotNegative);
  io.field("startup_s", job.startup, kNotNegative);
  io.field("self_play_s", job.self_play, kNotNegative);
  io.field("train_s", job.train, kNotNegative);
  io.field("evaluation_s", job.evaluation, kNotNegative);
  io.field("checkpoint_s", job.checkpoint, kNotNegative);
  io.field("overrun_s", job.overrun, kNotNegative);
  io.field("restart_s", job.restart, kNotNegative);
  io.field("preemption_s", job.preemption, kNotNegative);
  io.field("teardown_s", job.teardown, kNotNegative);
  io.field("billed_s", job.billed, kNotNegative);
  io.field("billed_without_init_s", job.billed_without_init, kNotNegative);
  io.field("checkpoint_interval_s", job.checkpoint_interval, kNotNegative);
}

template <class Io>
void describe(Io& io, PriceIndex& index) {
  double value = index.value();  // follows from the other two
  io.field("value", value, kNotNegative);
  io.field("price_increase", index.price_increase, kPositive);
  io.field("performance_increase", index.performance_increase, kPositive);
}

template <class Io>
void describe(Io& io, Prediction::Language& language) {
  io.field("tokens_per_s", language.tokens, kNotNegative);
  io.field("tokens_per_s_per_accelerator", language.tokens_per_accelerator, kNotNegative);
  io.field("model_flop_per_s_per_accelerator", language.model_rate, kNotNegative);
}

template <class Io>
void describe(Io& io, Prediction::Goodput& goodput) {
  io.field("share", goodput.share, kShare);
  io.field("time_between_failures_s", goodput.between_failures, kPositive);
  io.field("checkpoint_interval_s", goodput.interval, kPositive);
  io.field("checkpoint_s", goodput.checkpoint, kNotNegative);
}

template <class Io>
void describe(Io& io, Prediction::Energy& energy) {
  io.field("power_w", energy.power_w, kNotNegative);
  io.field("pue", energy.pue, NumberRange{1});
  io.field("carbon_intensity_kg_per_kwh", energy.carbon_intensity, kNotNegative);
  io.field("job_j", energy.job_j, kNotNegative);
  io.field("carbon_kg", energy.carbon_kg, kNotNegative);
}

template <class Io>
void describe(Io& io, Prediction::Purchase& purchase) {
  io.field("price_usd", purchase.price, kNotNegative);
  io.field("life_s", purchase.life, kPositive);
  io.field("rent_usd_per_s", purchase.rent, kNotNegative);
  io.field("break_even_utilisation", purchase.break_even, kNotNegative);
}

template <class Io>
void describe(Io& io, Prediction::MeasuredStep& measured) {
  io.field("time_s", measured.time, kPositive);
  io.field("percentile", measured.percentile, kShare);
  io.field("remedies", measured.remedies);
}

template <class Io>
void describe(Io& io, Prediction::Intervals& interval) {
  io.field("step_time_s", interval.step_time, kNotNegative);
  io.field("time_to_target_s", interval.time_to_target, kNotNegative);
  io.field("cost_usd", interval.cost, kNotNegative);
  io.field("cost_without_init_usd", interval.cost_without_init, kNotNegative);
  io.field("samples_to_target", interval.samples_to_target, kNotNegative);
}

template <class Io>
void describe(Io& io, Prediction::Simulation& simulation) {
  io.word("fidelity", simulation.fidelity);
  io.field("engine", simulation.engine);
  io.field("ranks", simulation.ranks, NumberRange{1});
  io.field("classes", simulation.classes);
  io.field("flows", simulation.flows);
  io.field("events", simulation.events);
  io.field_if_any("wall_s", simulation.wall_s, kNotNegative);
}

template <class Io>
void describe(Io& io, ProvenanceEntry& entry) {
  io.field("figure", entry.figure);
  io.field("value", entry.value.text);
  io.field("quantities", entry.value.quantities);
  io.field("source", entry.source);
}

template <class Io>
void describe(Io& io, Trust& trust) {
  io.word("level", trust.level);
  io.word("footing", trust.footing);
  io.field("log_difficulty", trust.log_difficulty, kPositive);
  io.field("why", trust.why.text);
  io.field("quantities", trust.why.quantities);
}

template <class Io>
void describe(Io& io, PublishedRun& run) {
  io.field("id", run.id);
  io.field("topology", run.topology);
  io.field("accelerators", run.accelerators, NumberRange{1});
  io.field("workload", run.workload);
  io.field("precision", run.precision);
  io.field("global_batch", run.global_batch, kNotNegative);
  io.field("metric", run.metric);
  io.field("published_value", run.published, kPositive);
  io.field("predicted_value", run.predicted);
  io.field("source", run.source);
  io.field("differs", run.differs);
}

template <class Io>
void describe(Io& io, Prediction& p) {
  int version = kPredictionSchema;
  io.field("schema_version", version, NumberRange{kPredictionSchema, kPredictionSchema});
  bool feasible = true;  // a refusal is another object (core/result/refusal_json.hpp)
  io.field("feasible", feasible);
  io.field("inputs", p.inputs);
  io.field("step", p.step);
  io.field("step_distribution", p.step_distribution);
  io.field("throughput_samples_per_s", p.throughput, kNotNegative);
  io.field("speedup", p.speedup, kNotNegative);
  io.field("scaling_efficiency", p.scaling_efficiency, kNotNegative);
  io.field("mfu", p.mfu, kNotNegative);
  io.field_if_any("language", p.language);
  io.field_if_any("goodput", p.goodput);
  io.field("memory", p.memory);
  io.field_if_any("collective", p.collective);
  io.field("input", p.input);
  io.field("job", p.job);
  io.field("time_to_target_s", p.time_to_target, kNotNegative);
  io.field("price_usd_per_s", p.price, kNotNegative);
  io.field("price_index", p.price_index);
  io.field("cost_usd", p.cost, kNotNegative);
  io.field("cost_without_init_usd", p.cost_without_init, kNotNegative);
  io.field("energy", p.energy);
  io.field_if_any("purchase", p.purchase);
  io.field_if_any("measured", p.measured);
  io.field("interval", p.interval);
  io.field("trust", p.trust);
  io.field("nearest_published", p.nearest_published);
  io.field("distance", p.distance.text);
  io.field("distance_quantities", p.distance.quantities);
  io.field("simulation", p.simulation);
  io.field("provenance", p.provenance);
  io.field("layouts", p.layouts);
  io.field("measure_next", p.measure_next);
  io.field("warnings", p.warnings);
}

template void describe(JsonWriter&, Prediction&);
template void describe(JsonSchemaWriter&, Prediction&);
template std::string json_schema<Prediction>();

std::string to_json(const Prediction& prediction) { return JsonWriter::text("prediction", prediction); }

Prediction prediction_from_json(const std::string& text, const std::string& file) {
  return described<Prediction>(parse_json(text, file), file);
}

}  // namespace mlsim
