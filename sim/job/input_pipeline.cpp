#include "sim/job/input_pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/model/dataset_input.hpp"

namespace mlsim::sim {
namespace {

// The text is "1 host" or "64 hosts".
Statement hosts_text(const Plan& plan) {
  return {named("hosts", plan.cluster->hosts), plan.cluster->hosts == 1 ? " host" : " hosts"};
}

// The text is "64 hosts at 2.00 GB/s, 110 kB a sample".
Statement at_rate(const Plan& plan, BytesPerSecond rate, Bytes sample) {
  return {hosts_text(plan), " at ", named("host_rate", rate), ", ", named("sample", sample), " a sample"};
}

bool decodes_on_host(const Plan& plan) {
  if (const auto asked = plan.options.input.decode) return *asked == DecodePlace::host;
  return plan.cluster->accelerator.family != AcceleratorFamily::gpu ||
         input_catalogue().decodes_on_host(plan.software.stack.stack);
}

Source decode_place_source(const Plan& plan) {
  if (plan.options.input.decode) return {Provenance::assumed, "set by the user", ""};
  return input_catalogue().host_source;
}

std::optional<Sourced<BytesPerSecond>> storage_rate(const Plan& plan) {
  if (const auto given = plan.options.input.storage_bandwidth)
    return Sourced<BytesPerSecond>{*given, {Provenance::assumed, "set by the user", ""}};
  return plan.cluster->host ? plan.cluster->host->storage : std::nullopt;
}

// Tells whether a host keeps all of the dataset after the first epoch.
bool stays_in_memory(const Plan& plan, Bytes dataset) {
  if (!plan.options.input.page_cache || !plan.cluster->host || !plan.cluster->host->memory) return false;
  return dataset <= plan.cluster->host->memory->value;
}

// Sums the rates of the links from a host towards its accelerators; 0 where the machine shows none, as a grid does.
BytesPerSecond host_link_bandwidth(const Cluster& cluster) {
  BytesPerSecond sum;
  for (auto [v, end] = boost::vertices(cluster.graph); v != end; ++v) {
    if (cluster.graph[*v].kind != VertexKind::host) continue;
    for (auto [e, last] = boost::out_edges(*v, cluster.graph); e != last; ++e) {
      const VertexKind kind = cluster.graph[boost::target(*e, cluster.graph)].kind;
      if (kind == VertexKind::accelerator || kind == VertexKind::pcie_switch) sum += cluster.graph[*e].bandwidth;
    }
    break;  // one host: all are alike
  }
  return sum;
}

// Returns the size of one sample as the model takes it.
Bytes input_size(const Plan& plan) {
  double elements = 0;
  for (const auto& input : plan.model.inputs) elements += static_cast<double>(input.shape.elements());
  return elements * element_size(plan.step.precision);
}

void add_storage(InputPipeline& pipeline, const Plan& plan, const DatasetInput& input) {
  const Bytes dataset = static_cast<double>(plan.model.dataset.train_samples) * input.stored.value;
  if (stays_in_memory(plan, dataset)) {
    pipeline.assumptions.push_back(
        {"storage",
         {"no limit: ", named("dataset", dataset), " stay in the ", named("memory", plan.cluster->host->memory->value),
          " of a host after the first epoch"},
         plan.cluster->host->memory->source});
    return;
  }
  const auto rate = storage_rate(plan);
  if (!rate) {
    pipeline.assumptions.push_back(
        {"storage", "no limit", {Provenance::assumed, "no rate is known; --set storage_bandwidth= gives one", ""}});
    return;
  }
  pipeline.stages.push_back({"storage", plan.cluster->hosts * (rate->value / input.stored.value),
                             at_rate(plan, rate->value, input.stored.value), rate->source});
}

void add_decoding(InputPipeline& pipeline, const Plan& plan, const DatasetInput& input) {
  const StackTerm& stack = plan.software.stack;
  if (stack.input_per_sample.value > 0) {
    pipeline.assumptions.push_back(
        {"decoding",
         {named("time", stack.input_per_sample), " of a node's sample on top of the step, measured with stack ",
          named("stack", stack.stack)},
         stack.source});
    return;
  }
  if (!decodes_on_host(plan)) {
    pipeline.assumptions.push_back(
        {"decoding", "on the accelerators, at no cost that published rows show", decode_place_source(plan)});
    return;
  }
  if (!plan.cluster->host) {
    pipeline.assumptions.push_back(
        {"decoding", "no limit", {Provenance::assumed, "nothing is known of the machine's hosts", ""}});
    return;
  }
  const double threads = plan.cluster->host->threads.value;
  pipeline.stages.push_back({"decoding on the host",
                             plan.cluster->hosts * (threads / input.decode.value),
                             {hosts_text(plan), " of ", named_exact("threads", threads), " threads, ",
                              named("decode", input.decode.value), " a sample"},
                             input.decode.source});
}

void add_delivery(InputPipeline& pipeline, const Plan& plan, const DatasetInput& input) {
  const auto& link = plan.efficiency[LinkKind::pcie];
  const BytesPerSecond rate = link.share * host_link_bandwidth(*plan.cluster);
  if (rate.value <= 0) return;
  // Samples decoded on the host cross as the model's input, others as the bytes stored.
  const Bytes sample = decodes_on_host(plan) ? input_size(plan) : input.stored.value;
  pipeline.stages.push_back(
      {"host to accelerator", plan.cluster->hosts * (rate / sample), at_rate(plan, rate, sample), link.source});
}

}  // namespace

const InputStage* InputPipeline::slowest() const {
  const auto least = std::min_element(stages.begin(), stages.end(),
                                      [](const InputStage& a, const InputStage& b) { return a.rate < b.rate; });
  return least == stages.end() ? nullptr : &*least;
}

Seconds InputPipeline::time(double samples) const {
  const InputStage* stage = slowest();
  return stage == nullptr ? Seconds(0) : samples / stage->rate;
}

InputPipeline input_pipeline(const Plan& plan) {
  InputPipeline pipeline;
  if (!plan.options.input.real()) return pipeline;
  const DatasetInput* input = input_catalogue().find(plan.model.dataset.name);
  if (input == nullptr) {
    pipeline.assumptions.push_back(
        {"input",
         "no limit",
         {Provenance::assumed, fmt::format("nothing is known of the input of {}", plan.model.dataset.name), ""}});
    return pipeline;
  }
  add_storage(pipeline, plan, *input);
  // A processor that trains has no other host.
  if (plan.cluster->accelerator.family != AcceleratorFamily::cpu) {
    add_decoding(pipeline, plan, *input);
    add_delivery(pipeline, plan, *input);
  }
  return pipeline;
}

void delay_by_input(StepOutcome& outcome, Seconds wait) {
  if (wait.value <= 0) return;
  for (Span& span : outcome.timeline.spans) {
    if (span.part != StepPart::input) span.begin += wait;
    span.end += wait;
  }
  outcome.time += wait;
}

}  // namespace mlsim::sim
