#include "sim/plan/step_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/quantile.hpp"
#include "core/text/errors.hpp"
#include "sim/plan/layout_defaults.hpp"
#include "workloads/lowering/parallelism.hpp"

namespace mlsim::sim {
namespace {

// Data ranks that take the statistics of batch normalisations together become an axis of their own.
void take_normalization_group(Parallelism& parallelism, int group, const Model& model) {
  const auto place = fmt::format("--set batch_norm_group={}", group);
  if (parallelism[Axis::normalization] > 1)
    throw InputError(place, "and --parallelism normalization say the same thing twice");
  const bool normalizes = std::any_of(model.layers.begin(), model.layers.end(),
                                      [](const Layer& layer) { return layer.kind == LayerKind::batch_normalization; });
  if (!normalizes) throw InputError(place, fmt::format("{} has no batch normalisation", model.name));
  const int data = parallelism[Axis::data];
  if (data % group != 0) {
    int below = group, above = group;
    while (below > 1 && data % below != 0) --below;
    while (above < data && data % above != 0) ++above;
    above = std::min(above, data);
    const std::string nearest = below < above ? fmt::format("{} and {}", below, above) : fmt::format("{}", above);
    throw Infeasible(
        fmt::format("groups of {} do not divide {} data-parallel ranks; groups of {} do", group, data, nearest));
  }
  parallelism[Axis::data] = data / group;
  parallelism[Axis::normalization] = group;
}

// Combines --parallelism with the settings about its axes: batch_norm_group takes ranks from the data axis. Throws
// InputError and Infeasible.
ParallelismRequest asked_parallelism(const PredictRequest& request, const Model& model, const Cluster& cluster) {
  ParallelismRequest asked = parse_parallelism(request.parallelism, cluster.ranks());
  if (const auto group = request.options.parallelism.batch_norm_group)
    take_normalization_group(asked.parallelism, *group, model);
  take_replicas(asked.parallelism, request.options.memory, cluster);
  return asked;
}

// Mixed precision is usual where the chip has matrix units that gain by it, else fp32.
Precision default_precision(const AcceleratorSpec& accelerator) {
  const auto rate = [&](Precision p) {
    const auto found = accelerator.peak.find(p);
    return found == accelerator.peak.end() ? 0.0 : found->second.value.value;
  };
  if (accelerator.family == AcceleratorFamily::tpu) return Precision::bf16;
  return rate(Precision::fp16) >= 4 * rate(Precision::fp32) && rate(Precision::fp16) > 0 ? Precision::fp16
                                                                                         : Precision::fp32;
}

// "mixed" is fp16 in most tables; a TPU's 16-bit format is bf16.
Precision chosen_precision(const PredictRequest& request, const AcceleratorSpec& accelerator) {
  const Precision precision = request.precision.value_or(default_precision(accelerator));
  const bool narrow = precision == Precision::fp16 && !accelerator.peak.contains(Precision::fp16);
  return narrow && accelerator.peak.contains(Precision::bf16) ? Precision::bf16 : precision;
}

// Micro-batches come from --parallelism or, where they only add up, from the options.
int micro_batches(const ParallelismRequest& asked, const std::optional<int>& accumulation) {
  if (!accumulation) return std::max(asked.micro_batches, 1);
  if (asked.micro_batches > 0)
    throw InputError("--parallelism", fmt::format("micro_batches={} and --set accumulation={} say the same thing twice",
                                                  asked.micro_batches, *accumulation));
  return *accumulation;
}

// TPU programs and TensorFlow's mixed precision sum gradients in fp32 on the wire, and so do language models in bf16
// and below (Megatron-LM, arguments.py: --bf16 sets accumulate_allreduce_grads_in_fp32); other mixed-precision GPU
// stacks exchange them in the 16-bit format.
Bytes gradient_element(const std::optional<Precision>& asked, Precision precision, bool wide) {
  if (asked) return element_size(*asked);
  return wide ? Bytes(4) : element_size(precision);
}

bool overlaps(const ExchangeOptions& exchange, const Software& software, int nodes) {
  if (exchange.uses_horovod()) return true;
  return exchange.overlap.value_or(software.servers ? software.servers->overlaps(nodes) : software.stack.overlap);
}

StateSharding sharding(const Options& options, const Software& software, const Parallelism& parallelism) {
  if (parallelism.used(kGradientAxes).empty()) return StateSharding::none;
  const bool usual = software.stack.sharded_update && !software.servers && !options.exchange.uses_horovod();
  return options.memory.sharding.value_or(usual ? StateSharding::optimizer : StateSharding::none);
}

// PyTorch's pipelines keep what FSDP has gathered for all micro-batches of a step (pytorch/torchtitan, job_config.py,
// fsdp_reshard_after_forward "default").
bool reshards(const std::optional<bool>& asked, const Parallelism& parallelism) {
  const bool staged = parallelism[Axis::pipeline] > 1;
  if (asked.value_or(false) && staged)
    throw InputError("--set reshard=on", "is not modelled for the stages of a pipeline; reshard=off is");
  return asked.value_or(!staged);
}

// Says whether gradients stay in the buffer from which they are sent, as those of language models (Megatron-LM,
// distributed/param_and_grad_buffer.py; fully sharded ones alike).
bool keeps_gradients_in_place(const Model& model, StateSharding sharding) {
  return trains_as_language_model(model) || sharding >= StateSharding::gradients;
}

// Rings of many ranks take their time to go round, so that tuned software of language models fills its buckets with so
// many parameters (Megatron-LM, core/distributed/distributed_data_parallel.py, bucket_size).
double bucket_parameters(const StepPlan& step) {
  constexpr double kLeast = 40e6, kPerRank = 1e6;
  return std::max(kLeast, kPerRank * step.parallelism.size_of(kGradientAxes));
}

StepPlan with_buckets(StepPlan step, const ExchangeOptions& exchange, const Model& model, const Software& software) {
  if (exchange.uses_horovod()) {  // a whole buffer, but where it is known what its cycles find (FusionCycles)
    step.bucket = step.first_bucket = exchange.horovod.buffer;
    return step;
  }
  // Buckets exist to start early; where nothing overlaps, one exchange of all gradients has the fewest messages.
  if (!step.overlap)
    step.bucket = step.first_bucket = step.gradient_element * static_cast<double>(model.parameters());
  else if (step.parameter_servers)
    step.bucket = step.first_bucket = Bytes(1);  // TensorFlow moves every tensor by itself
  else if (trains_as_language_model(model) && software.stack.stack == name(SoftwareClass::tuned))
    step.bucket = step.first_bucket = step.gradient_element * bucket_parameters(step);
  if (exchange.bucket) {
    step.bucket = *exchange.bucket;
    step.first_bucket = min(step.first_bucket, step.bucket);
  }
  if (exchange.first_bucket) step.first_bucket = *exchange.first_bucket;
  return step;
}

// Gradients in fp16 are 0 unless the loss is scaled (Micikevicius et al., arXiv:1710.03740), which libraries for GPUs do
// by themselves (NVIDIA/apex, amp.initialize; torch.cuda.amp; tf.keras, LossScaleOptimizer). TPUs train in bf16.
bool scales_loss(const SoftwareOptions& asked, Precision precision, const AcceleratorSpec& accelerator,
                 const Software& software) {
  const bool usual = precision == Precision::fp16 && accelerator.family == AcceleratorFamily::gpu && !software.servers;
  return asked.loss_scaling.value_or(usual);
}

}  // namespace

Optimizer recipe_optimizer(const std::string& recipe, ModelFamily family) {
  static const std::vector<std::pair<std::string, Optimizer>> words{{"lars", Optimizer::lars},
                                                                    {"lamb", Optimizer::lamb},
                                                                    {"adam", Optimizer::adam},
                                                                    {"asgd", Optimizer::averaged_sgd}};
  for (const auto& [word, optimizer] : words) {
    if (recipe.find(word) != std::string::npos) return optimizer;
  }
  return usual_optimizers(family).front();
}

StepPlan choose_step(const PredictRequest& request, const Model& model, const Cluster& cluster,
                     const Software& software) {
  const Options& options = request.options;
  const AcceleratorSpec& accelerator = cluster.accelerator;
  const ParallelismRequest asked = asked_parallelism(request, model, cluster);
  StepPlan step;
  step.parallelism = asked.parallelism;
  step.micro_batches = micro_batches(asked, options.memory.accumulation);
  step.batch_per_accelerator = step.micro_batches;
  step.precision = chosen_precision(request, accelerator);
  step.optimizer = options.software.optimizer.value_or(recipe_optimizer(software.recipe, model.family));
  step.multi_tensor = options.software.multi_tensor.value_or(software.stack.multi_tensor.value_or(true));
  step.cores = std::max(accelerator.cores.value, 1);
  step.guard = {scales_loss(options.software, step.precision, accelerator, software),
                options.software.gradient_clipping.has_value()};
  step.one_program = accelerator.family == AcceleratorFamily::tpu;
  step.fusion = !options.software.compiled_blocks.empty() || options.software.fusion.value_or(software.stack.fusion);
  step.pipelined_summation = options.exchange.pipelined_summation;
  if (!step.pipelined_summation && step.parallelism[Axis::pipeline] > 1)
    throw InputError("--set pipelined_summation=off", "is not modelled for the stages of a pipeline");
  step.recompute = options.memory.recompute;
  step.recompute_modules = options.memory.recompute_modules;
  step.recompute_blocks = options.memory.recompute_blocks;
  step.offload = options.memory.offload;
  step.sharding = sharding(options, software, step.parallelism);
  step.reshard = reshards(options.memory.reshard, step.parallelism);
  step.gather_overlap = options.parallelism.gather_overlap.value_or(false);
  step.pipeline_overlap = options.parallelism.pipeline_overlap.value_or(true);
  step.gradients_in_place = keeps_gradients_in_place(model, step.sharding);
  step.parameter_servers = software.servers.has_value();
  step.overlap = overlaps(options.exchange, software, cluster.nodes);
  const bool language = trains_as_language_model(model) && step.precision != Precision::fp16;
  const bool wide = accelerator.family == AcceleratorFamily::tpu || software.stack.wide_gradients || language;
  step.gradient_element = gradient_element(options.exchange.gradient_precision, step.precision, wide);
  step.weight_precision = options.exchange.weight_precision;
  return with_buckets(std::move(step), options.exchange, model, software);
}

double sample_skew(double spread, const StepPlan& step) {
  const int ranks = step.parallelism.batch_ranks();
  const bool padded = step.one_program;  // one program has shapes of one size
  if (spread == 0 || ranks < 2 || padded) return 1;
  return 1 + spread * largest_of_normals(ranks) / std::sqrt(step.batch_per_accelerator);
}

}  // namespace mlsim::sim
