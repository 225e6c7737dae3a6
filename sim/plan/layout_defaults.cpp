#include "sim/plan/layout_defaults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/text/errors.hpp"
#include "sim/evidence/software_class.hpp"

namespace mlsim::sim {
namespace {

constexpr int kMicroBatchesOfStage = 4;  // without a batch: a pipeline's bubble is then a fifth of the step or less

void take_interleave(ParallelismOptions& options, int interleave) {
  if (interleave == 0) return;
  if (options.pipeline_chunks > 1 && options.pipeline_chunks != interleave)
    throw InputError("--parallelism", fmt::format("interleave={} and --set pipeline_chunks={} say the same thing twice",
                                                  interleave, options.pipeline_chunks));
  options.pipeline_chunks = interleave;
}

// Returns the samples that a group of ranks which share samples takes in a step; empty where no batch is told.
std::optional<double> told_samples(const PredictRequest& request, const Parallelism& parallelism) {
  const int groups = parallelism.batch_ranks();
  if (request.global_batch) return *request.global_batch / groups;
  if (request.batch_per_accelerator) return *request.batch_per_accelerator * parallelism.ranks() / groups;
  return std::nullopt;
}

// Turns the samples of a micro-batch into their number.
void take_micro_batch(PredictRequest& request, const ParallelismRequest& asked, const Model& model) {
  const Parallelism& parallelism = asked.parallelism;
  if (asked.micro_batches > 0) return;
  std::optional<int>& count = request.options.memory.accumulation;
  if (asked.micro_batch > 0 && count)
    throw InputError("--parallelism", fmt::format("micro_batch={} and --set accumulation={} say the same thing twice",
                                                  asked.micro_batch, *count));
  const bool staged = parallelism[Axis::pipeline] > 1;
  if (count || (asked.micro_batch == 0 && !(staged && trains_as_language_model(model)))) return;
  const int size = std::max(1, asked.micro_batch);
  const std::optional<double> samples = told_samples(request, parallelism);
  if (!samples) {
    count = staged ? kMicroBatchesOfStage * parallelism[Axis::pipeline] : 1;
    if (asked.micro_batch > 0) request.global_batch = double(size) * *count * parallelism.batch_ranks();
    return;
  }
  const double parts = std::max(1.0, std::ceil(*samples / size - 0.5));
  if (asked.micro_batch > 0 && parts * size != *samples)
    throw Infeasible(
        fmt::format("micro-batches of {} do not divide the {:g} samples of each of {} groups; a global "
                    "batch of {:g} works",
                    size, *samples, parallelism.batch_ranks(), parts * size * parallelism.batch_ranks()));
  count = static_cast<int>(std::min(parts, 65536.0));
}

bool divides_tokens(const Model& model, int ranks) {
  return std::all_of(model.inputs.begin(), model.inputs.end(),
                     [&](const ModelInput& input) { return input.shape.height % ranks == 0; });
}

// A dispatch by node differs from one to each expert only where several nodes share the experts.
void check_dispatch(const Options& options, const Cluster& cluster, const Parallelism& parallelism) {
  const int inside = parallelism[Axis::expert] * parallelism[Axis::tensor] * parallelism[Axis::context];
  const bool one_node = cluster.grid || inside * cluster.nodes <= cluster.ranks();
  if (options.given.contains("dispatch") && options.parallelism.dispatch == ExpertDispatch::by_node && one_node)
    throw InputError("--set dispatch=by-node", "changes nothing where experts are shared out within each node");
}

void take_decoder_defaults(Options& options, const Model& model, const Cluster& cluster,
                           const Parallelism& parallelism) {
  if (!trains_as_language_model(model)) return;
  if (std::optional<bool>& overlap = options.parallelism.tensor_overlap; !overlap && parallelism[Axis::tensor] > 1)
    overlap = overlaps_tensor_exchanges(options.software.stack, cluster.accelerator);
  std::optional<ExpertDispatch>& dispatch = options.parallelism.dispatch;
  if (!dispatch && parallelism[Axis::expert] > 1)
    dispatch = usual_dispatch(options.software.stack, cluster.accelerator.family);
  std::optional<bool>& sequence = options.parallelism.sequence_parallel;
  if (const int tensor = parallelism[Axis::tensor]; !sequence && tensor > 1)
    sequence = divides_tokens(model, tensor * parallelism[Axis::context]);
  const bool servers =
      options.software.servers.update.value_or(VariableUpdate::replicated) != VariableUpdate::replicated;
  if (!options.memory.sharding && !servers && !options.exchange.uses_horovod() &&
      !parallelism.used(kGradientAxes).empty())
    options.memory.sharding = StateSharding::optimizer;
}

}  // namespace

PredictRequest with_layout_defaults(PredictRequest request, const Model& model, const Cluster& cluster) {
  const ParallelismRequest asked = parse_parallelism(request.parallelism, cluster.ranks());
  const auto is_expert = [](const Layer& layer) { return layer.kind == LayerKind::expert_dense; };
  if (asked.expert_tensor > 1 && std::none_of(model.layers.begin(), model.layers.end(), is_expert))
    throw Infeasible(fmt::format("expert_tensor={0}: {1} has no mixture of experts; leave out expert_tensor={0}",
                                 asked.expert_tensor, model.name));
  const int tensor = asked.parallelism[Axis::tensor];
  if (asked.expert_tensor > 0 && asked.expert_tensor != tensor && !asked.whole_experts())
    throw Infeasible(
        fmt::format("experts are whole, or divided by the tensor ranks that divide all else, not over {} of them; "
                    "expert_tensor={} works",
                    asked.expert_tensor, tensor));
  request.options.parallelism.whole_experts = asked.whole_experts();
  take_interleave(request.options.parallelism, asked.interleave);
  ParallelismOptions& options = request.options.parallelism;
  const bool vee = options.schedule() == PipelineSchedule::zero_bubble_v && asked.parallelism[Axis::pipeline] > 1;
  if (vee && options.pipeline_chunks == 1) options.pipeline_chunks = 2;
  check_dispatch(request.options, cluster, asked.parallelism);
  take_decoder_defaults(request.options, model, cluster, asked.parallelism);
  take_micro_batch(request, asked, model);
  if (asked.whole_experts() && !request.options.parallelism.sequence_parallel.value_or(false))
    throw Infeasible(
        fmt::format("whole experts on {} tensor ranks take the tokens of each; expert_tensor={} works, and so "
                    "does sequence_parallel=on",
                    tensor, tensor));
  return request;
}

ParallelismOptions with_split_tokens(ParallelismOptions options, const Model& model, const Parallelism& parallelism) {
  if (!options.sequence_parallel && trains_as_language_model(model) && parallelism[Axis::tensor] > 1)
    options.sequence_parallel = true;
  return options;
}

void take_replicas(Parallelism& parallelism, const MemoryOptions& memory, const Cluster& cluster) {
  const auto& asked = memory.sharding_ranks;
  if (asked ? asked->all : cluster.slices == 1) return;
  const int data = parallelism[Axis::data], inner = parallelism.size_of(Axis::tensor | Axis::context);
  const int in_node = std::max(1, cluster.accelerators_per_node / inner);
  int wanted = std::gcd(in_node, data);
  if (asked) wanted = asked->node ? std::min(in_node, data) : asked->count;
  if (wanted > data || data % wanted != 0) {
    int nearest = std::min(wanted, data);
    while (data % nearest != 0) --nearest;
    throw Infeasible(
        fmt::format("groups of {} do not divide {} data ranks; sharding_ranks={} does", wanted, data, nearest));
  }
  parallelism[Axis::data] = wanted;
  parallelism[Axis::replica] = data / wanted;
}

}  // namespace mlsim::sim
