#include "sim/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/profile/collective_name.hpp"
#include "core/text/errors.hpp"
#include "sim/mesh/communicator.hpp"
#include "sim/options/option.hpp"
#include "sim/options/option_rules.hpp"
#include "sim/plan/batch_choice.hpp"
#include "sim/plan/layout_defaults.hpp"
#include "sim/plan/part_memory.hpp"
#include "sim/plan/step_choice.hpp"
#include "topologies/cluster/cluster_graph.hpp"
#include "topologies/cluster/defects.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "workloads/model/model_reader.hpp"

namespace mlsim::sim {
namespace {

// Throws InputError for a module that is to run again and that the model does not have.
void check_modules(const Model& model, const MemoryOptions& memory) {
  if (memory.recompute != Recompute::selective) return;
  for (std::size_t i = 0; i < names<RecomputeModule>().size(); ++i) {
    const auto module = static_cast<RecomputeModule>(i);
    if (!memory.recompute_modules.has(module) || module == RecomputeModule::core_attention) continue;
    const auto again = layers_again(model, RecomputeModules(module));
    if (std::none_of(again.begin(), again.end(), [](const LayerAgain& layer) { return layer.runs; }))
      throw InputError(fmt::format("--set recompute={}", name(module)),
                       fmt::format("changes nothing: {} has no such part", model.name));
  }
}

Model asked_model(const PredictRequest& request) {
  if (names_collective(request.workload))
    throw InputError("--workload " + request.workload,
                     "is one collective by itself and no network; predict, compare and sweep take it");
  Model model = load_model(request.workload);
  const AttentionKernels kernels = request.options.software.attention;
  const Recompute recompute = request.options.memory.recompute;
  const auto check = [&](bool asked, const std::string& setting) {
    if (asked && !has_attention(model))
      throw InputError("--set " + setting, fmt::format("changes nothing: {} has no attention layer", model.name));
  };
  if (request.options.job.tokens && model.tokens == 0)
    throw InputError(
        "--set tokens",
        fmt::format("{} has samples without tokens to predict; epochs=N, samples=N and steps=N take any workload",
                    model.name));
  if (request.options.job.steps && !names_batch(request))
    throw InputError("--set steps", "are steps of which batch? --global-batch N says");
  if (const auto year = request.options.software.year; year && is_language_model(model.sort))
    throw InputError(fmt::format("--set year={}", *year),
                     fmt::format("changes nothing of {}: stack= names a language model's software", model.name));
  check(kernels != AttentionKernels::unfused, fmt::format("attention={}", name(kernels)));
  const auto& modules = request.options.memory.recompute_modules;
  check(recompute == Recompute::selective && modules.has(RecomputeModule::core_attention),
        fmt::format("recompute={}", name(recompute)));
  check_modules(model, request.options.memory);
  set_attention(model, kernels);
  return model;
}

// Throws Infeasible where fewer blocks than are to run again stand in a stage's chunk, or where stages run again whole,
// and InputError where no block repeats.
void check_recompute(const Model& model, const StepPlan& step, Options asked_options) {
  if (step.recompute == Recompute::full && step.parallelism[Axis::pipeline] == 1 && repetitions_of(model) == 0)
    throw InputError("--set recompute=full", fmt::format("changes nothing: {} repeats no block", model.name));
  if (step.recompute_blocks == 0) return;
  const ParallelismOptions& options = asked_options.parallelism;
  asked_options.memory.recompute_blocks = 0;
  const std::string what = find_option("recompute").value.print(asked_options);
  const std::string asked = fmt::format("recompute={}:{}", what, step.recompute_blocks);
  if (step.recompute == Recompute::full && step.parallelism[Axis::pipeline] > 1 &&
      options.schedule() == PipelineSchedule::gpipe)
    throw Infeasible(fmt::format("GPipe runs whole stages again, not {}; recompute=full works", asked));
  const int chunks = step.parallelism[Axis::pipeline] * options.pipeline_chunks;
  const int of_chunk = (repetitions_of(model) + chunks - 1) / chunks;
  if (step.recompute_blocks > of_chunk)
    throw Infeasible(fmt::format("{} asks for more blocks than the {} of {}; {} works", asked, of_chunk,
                                 chunks > 1 ? "a stage's chunk" : "the model",
                                 of_chunk > 0 ? fmt::format("recompute={}:{}", what, of_chunk) : "recompute=off"));
}

// Parameter servers are modelled for data parallelism only.
void check_server_axes(const StepPlan& step) {
  if (step.parameter_servers && step.parallelism != data_parallel(step.parallelism.ranks()))
    throw Infeasible(fmt::format("parameter servers serve ranks that hold the whole model, not {}; data={} works",
                                 to_text(step.parallelism), step.parallelism.ranks()));
}

void check_horovod(const AcceleratorSpec& accelerator, const Parallelism& parallelism) {
  if (accelerator.family == AcceleratorFamily::tpu)
    throw Infeasible(
        fmt::format("Horovod runs on GPUs and processors, not on {}; exchange=buckets works", accelerator.name));
  if (parallelism != data_parallel(parallelism.ranks()))
    throw Infeasible(fmt::format("Horovod sums gradients over ranks that hold the whole model, not {}; data={} works",
                                 to_text(parallelism), parallelism.ranks()));
}

// Gives the step the batch that was asked for, or else the usual one, and adds what was rounded to `notes`.
StepPlan batched(const PredictRequest& request, const Model& model, const std::string& recipe, const ModelPart& part,
                 const StepPlan& least, Bytes memory, std::vector<std::string>& notes) {
  const std::optional<AskedBatch> asked = asked_batch(request, least);
  if (asked && request.options.job.throughput) {  // what ran fitted and divided, however
    StepPlan step = least;
    step.batch_per_accelerator = asked->size / step.parallelism.batch_ranks();
    return step;
  }
  if (asked && !asked->note.empty()) notes.push_back(asked->note);
  return with_batch(least, asked ? asked->size : usual_batch(model, recipe, least, most_samples(part, least, memory)));
}

void check_offload(const Offload& offload, const Cluster& cluster) {
  if (offload == Offload()) return;
  const AcceleratorSpec& accelerator = cluster.accelerator;
  if (accelerator.family == AcceleratorFamily::cpu)
    throw Infeasible(fmt::format("offload= moves to the host's memory what {} has there already", accelerator.title));
  if (host_link_rate(cluster) <= BytesPerSecond(0))
    throw Infeasible(
        fmt::format("nothing is known of the link from {} to its host's memory, so that offload= cannot be "
                    "costed; an accelerator's file gives it as host_link",
                    accelerator.title));
}

Plan plan_on(const PredictRequest& asked, Model model, AskedSystem system) {
  const Cluster& cluster = *system.cluster;
  const PredictRequest request = with_layout_defaults(asked, model, cluster);
  const Options& options = request.options;
  Software software = choose_software(request, model, cluster);
  model = as_computed(std::move(model), software.stack.stack);
  set_attention(model, options.software.attention);
  if (const auto& blocks = options.software.compiled_blocks; !blocks.empty()) {
    if (cluster.accelerator.family == AcceleratorFamily::tpu)
      throw InputError("--set xla", fmt::format("XLA compiles the whole step on {}", cluster.accelerator.title));
    compile_only(model, blocks);
  }
  const PartSource source{model, cluster.accelerator, options.parallelism, options.job.throughput.has_value()};
  std::vector<std::string> notes;
  const StepPlan least = choose_step(request, model, cluster, software);
  // Parameter servers speak for themselves, not through a library of collectives.
  MeasuredCollectives measured =
      software.servers ? MeasuredCollectives()
                       : MeasuredCollectives(system.sound ? *system.sound : cluster, profiles_of(request));
  LinkEfficiency efficiency =
      software.servers ? fitted_links()
                       : communicator_links(cluster, options.exchange.communicator, least.gradient_element, measured);
  if (!software.servers && software.stack.per_exchange) efficiency.call += *software.stack.per_exchange;
  // Horovod brings MPI a 16-bit sum of its own (horovod/common/half.cc).
  if (!software.servers && !options.exchange.uses_horovod())
    check_sums(cluster, options.exchange.communicator, least.gradient_element, measured);
  check_axes(options, least.parallelism);
  if (least.parallelism.ranks() > 1)
    check_exchanges(options, least);
  else if (std::string idle = idle_alone(options); !idle.empty())
    notes.push_back(std::move(idle));
  check_recompute(model, least, options);
  check_offload(least.offload, cluster);
  ModelPart least_part = split_model(source, least);
  StepPlan step = batched(request, model, software.recipe, least_part, least, cluster.accelerator.memory.value, notes);
  auto part = std::make_shared<const ModelPart>(
      staged(std::move(least_part.sharded), source, step));  // balanced for the micro-batches of the batch
  check_server_axes(step);
  if (options.exchange.uses_horovod()) check_horovod(cluster.accelerator, step.parallelism);
  return {std::move(system.cluster), std::move(model),    std::move(software),   std::move(step), std::move(part),
          std::move(system.sound),   std::move(measured), std::move(efficiency), options,         std::move(notes)};
}

}  // namespace

AskedSystem asked_system(const PredictRequest& request) {
  const Defects defects = request.options.defects.all();
  const auto built = [&](const Defects& its) {
    return std::make_shared<const Cluster>(build_cluster(request.topology, request.accelerators, its));
  };
  return {built(defects), defects.links.empty() ? nullptr : built({})};
}

Plan make_plan(const PredictRequest& request) {
  Plan plan = plan_of_any_size(request);
  check_memory(plan);
  return plan;
}

Plan make_plan(const PredictRequest& request, AskedSystem system) {
  Plan plan = plan_on(request, asked_model(request), std::move(system));
  check_memory(plan);
  return plan;
}

void check_memory(const Plan& plan) {
  if (plan.options.job.throughput) return;  // it ran
  check_memory({plan.model, plan.cluster->accelerator, plan.options.parallelism}, *plan.part, plan.step);
}

Plan plan_of_any_size(const PredictRequest& request) {
  AskedSystem system;
  return plan_of_any_size(request, system);
}

Plan plan_of_any_size(const PredictRequest& request, AskedSystem& built) {
  Model model = asked_model(request);  // its refusals come first
  if (!built.cluster) built = asked_system(request);
  return plan_on(request, std::move(model), built);
}

}  // namespace mlsim::sim
