#include "sim/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/errors.hpp"
#include "core/split.hpp"
#include "core/units_text.hpp"
#include "sim/communicator.hpp"
#include "sim/collectives/nccl/nccl_planner.hpp"
#include "sim/horovod.hpp"
#include "sim/memory_check.hpp"
#include "sim/parameter_server/server_choice.hpp"
#include "sim/parameter_server/server_exchange.hpp"
#include "sim/model_part.hpp"
#include "sim/stack_choice.hpp"
#include "topologies/catalogue.hpp"
#include "workloads/convergence.hpp"

namespace mlsim {
namespace {

bool is_on(const Settings& settings, const std::string& key, bool otherwise) {
  return setting(settings, key, otherwise ? "on" : "off") == "on";
}

// "a,b" item by item; nothing where the text is empty.
template <class Add>
void for_each_item(const std::string& list, Add add) {
  if (list.empty()) return;
  for (const auto& item : split(list, ',')) add(item);
}

Defects defects_of(const Settings& settings) {
  Defects defects;
  for_each_item(setting(settings, "slow_link"), [&](const auto& t) { defects.links.push_back(parse_slow_link(t)); });
  for_each_item(setting(settings, "failed_link"),
                [&](const auto& t) { defects.links.push_back(parse_failed_link(t)); });
  for_each_item(setting(settings, "slow_rank"), [&](const auto& t) { defects.ranks.push_back(parse_slow_rank(t)); });
  for_each_item(setting(settings, "slow_host"), [&](const auto& t) { defects.hosts.push_back(parse_slow_host(t)); });
  return defects;
}

// Mixed precision where the chip has matrix units that gain by it, else fp32.
Precision default_precision(const AcceleratorSpec& accelerator) {
  const auto rate = [&](Precision p) {
    const auto found = accelerator.peak.find(p);
    return found == accelerator.peak.end() ? 0.0 : found->second.value.value;
  };
  if (accelerator.family == "tpu") return Precision::bf16;
  return rate(Precision::fp16) >= 4 * rate(Precision::fp32) && rate(Precision::fp16) > 0 ? Precision::fp16
                                                                                         : Precision::fp32;
}

// "mixed" is fp16 in most tables; a TPU's 16-bit format is bf16.
Precision chosen_precision(const PredictRequest& request, const AcceleratorSpec& accelerator) {
  const Precision precision = request.precision.value_or(default_precision(accelerator));
  const bool narrow = precision == Precision::fp16 && !accelerator.peak.contains(Precision::fp16);
  return narrow && accelerator.peak.contains(Precision::bf16) ? Precision::bf16 : precision;
}

// The recipe's name says it, else the family's usual one.
Optimizer default_optimizer(const std::string& recipe, const std::string& family) {
  static const std::vector<std::pair<std::string, Optimizer>> words{{"lars", Optimizer::lars},
                                                                    {"lamb", Optimizer::lamb},
                                                                    {"adam", Optimizer::adam},
                                                                    {"asgd", Optimizer::averaged_sgd}};
  for (const auto& [word, optimizer] : words) {
    if (recipe.find(word) != std::string::npos) return optimizer;
  }
  if (family == "transformer" || family == "translation") return Optimizer::adam;
  if (family == "recommender" || family == "recurrent" || family == "linear") return Optimizer::sgd;
  return Optimizer::momentum;
}

// From --parallelism or, where they only add up, from the settings.
int micro_batches(const ParallelismRequest& asked, const Settings& settings) {
  const std::string given = setting(settings, "accumulation");
  if (given.empty()) return std::max(asked.micro_batches, 1);
  if (asked.micro_batches > 0)
    throw InputError("--parallelism", fmt::format("micro_batches={} and --set accumulation={} say the same thing twice",
                                                  asked.micro_batches, given));
  return parse_count(given);
}

StepPlan step_plan(const PredictRequest& request, const Plan& plan) {
  const Settings& settings = request.settings;
  const bool tpu = plan.cluster.accelerator.family == "tpu";
  StepPlan step;
  const ParallelismRequest asked = asked_parallelism(request, plan.model, plan.cluster.ranks());
  step.parallelism = asked.parallelism;
  step.precision = chosen_precision(request, plan.cluster.accelerator);
  step.optimizer = default_optimizer(plan.recipe, plan.model.family);
  if (const auto optimizer = setting(settings, "optimizer"); !optimizer.empty()) {
    step.optimizer = parse_optimizer(optimizer);
  }
  step.multi_tensor = is_on(settings, "multi_tensor", true);
  step.recompute = setting(settings, "recompute", "off") == "full";
  step.micro_batches = micro_batches(asked, settings);
  // TPU programs and TensorFlow's mixed precision sum gradients in fp32; other mixed-precision GPU stacks exchange them
  // in the 16-bit format.
  step.gradient_element = tpu || plan.stack.wide_gradients ? Bytes(4) : element_size(step.precision);
  if (const auto format = setting(settings, "gradient_precision"); !format.empty()) {
    step.gradient_element = element_size(parse_precision(format));
  }
  step.parameter_servers = plan.servers.has_value();
  step.overlap = is_on(settings, "overlap",
                       plan.servers ? plan.servers->overlaps(plan.cluster.nodes) : plan.stack.overlap);
  // Buckets exist to start early; where nothing overlaps, one exchange of all gradients has the fewest messages.
  if (!step.overlap)
    step.bucket = step.first_bucket = step.gradient_element * static_cast<double>(plan.model.parameters());
  else if (plan.servers)
    step.bucket = step.first_bucket = Bytes(1);  // TensorFlow moves every tensor by itself
  if (const auto bucket = setting(settings, "bucket"); !bucket.empty()) {
    step.bucket = parse_quantity<Bytes>(bucket);
    step.first_bucket = min(step.first_bucket, step.bucket);
  }
  if (const auto first = setting(settings, "first_bucket"); !first.empty())
    step.first_bucket = parse_quantity<Bytes>(first);
  if (uses_horovod(settings)) {
    step.overlap = true;
    step.bucket = step.first_bucket = horovod_options(settings).buffer;  // until readiness is known (predict.cpp)
  }
  step.fusion = is_on(settings, "fusion", plan.stack.fusion);
  step.sharded_update = is_on(settings, "sharded_update",
                              plan.stack.sharded_update && !plan.servers && !uses_horovod(settings)) &&
                        !step.parallelism.used(kGradientAxes).empty();
  if (const auto format = setting(settings, "weight_precision"); !format.empty()) {
    if (!step.sharded_update)
      throw InputError(fmt::format("--set weight_precision={}", format), "changes nothing without sharded_update=on on several ranks");
    step.weight_precision = parse_precision(format);
  }
  return step;
}

// What the samples of a step are divided over: accelerators, or groups of those that share a sample.
std::string batch_ranks_text(const Plan& plan) {
  const int groups = plan.step.parallelism.batch_ranks(), ranks = plan.cluster.ranks();
  return groups == ranks ? fmt::format("{} accelerators", ranks)
                         : fmt::format("{} group{} of {} accelerators", groups, groups == 1 ? "" : "s", ranks / groups);
}

double given_global_batch(double batch, const Plan& plan) {
  const int groups = plan.step.parallelism.batch_ranks();
  const double below = std::floor(batch / groups) * groups;
  if (below == batch) return batch;
  const std::string over = batch_ranks_text(plan);
  throw Infeasible(below == 0 ? fmt::format("a global batch of {} is less than one sample on each of {}; {} is the least",
                                            batch, over, groups)
                              : fmt::format("a global batch of {} does not divide over {}; {} and {} do", batch, over,
                                            below, below + groups));
}

// The usual batch: what fits, at most the largest with known convergence.
double usual_global_batch(const Plan& plan) {
  // 256 a chip is what large ResNet runs use where memory and convergence allow (MLPerf v0.5-v1.0 logs: 204 to 408).
  // Others take what fits, and no more than one step an epoch.
  const int groups = plan.step.parallelism.batch_ranks();
  const bool images = plan.model.family == "convolutional";
  const auto epoch = static_cast<int>(std::min<std::int64_t>(plan.model.dataset.train_samples / groups, 1'000'000));
  int b = std::min(images ? 256 : std::max(1, epoch), largest_part_batch(plan));
  if (!plan.recipe.empty()) {
    const double most = std::floor(largest_known_batch(plan.model.benchmark, plan.recipe) / groups);
    b = std::min(b, static_cast<int>(std::max(1.0, most)));
  }
  const int parts = plan.step.micro_batches;
  return static_cast<double>(std::max(b / parts, 1) * parts) * groups;
}

double choose_batch(const PredictRequest& request, const Plan& plan) {
  const auto absurd = [](double batch) { return !(batch > 0) || batch > 1e9 || batch != std::floor(batch); };
  if (request.global_batch && request.batch_per_accelerator) {
    throw InputError("--global-batch", "and --batch-per-accelerator exclude each other");
  }
  if (request.batch_per_accelerator) {
    const double b = *request.batch_per_accelerator;
    if (absurd(b)) throw InputError("--batch-per-accelerator", fmt::format("{} is no whole number of samples", b));
    return b * plan.cluster.ranks();
  }
  if (!request.global_batch) return usual_global_batch(plan);
  if (absurd(*request.global_batch))
    throw InputError("--global-batch", fmt::format("{} is no whole number of samples", *request.global_batch));
  return given_global_batch(*request.global_batch, plan);
}

// "4 samples per accelerator", "4 samples on every 8 accelerators".
std::string samples_text(const StepPlan& step) {
  const int sharers = step.parallelism.ranks() / step.parallelism.batch_ranks();
  const double batch = step.batch_per_accelerator;
  const std::string samples = fmt::format("{:g} sample{}", batch, batch == 1 ? "" : "s");
  return sharers == 1 ? samples + " per accelerator" : fmt::format("{} on every {} accelerators", samples, sharers);
}

void check_micro_batches(const StepPlan& step) {
  const int parts = step.micro_batches;
  const double batch = step.batch_per_accelerator, size = batch / parts;
  if (size == std::floor(size)) return;
  const double below = std::floor(size) * parts, above = below + parts;
  const std::string nearest = below > 0 ? fmt::format("{:g} and {:g} do", below, above) : fmt::format("{:g} do", above);
  int fewer = std::min(parts, static_cast<int>(batch));
  while (std::fmod(batch, fewer) != 0) --fewer;
  throw Infeasible(fmt::format("{} do{} not divide into {} micro-batches; {}, or into {} micro-batch{}",
                               samples_text(step), batch == 1 ? "es" : "", parts, nearest, fewer,
                               fewer == 1 ? "" : "es"));
}

std::string choose_recipe(const PredictRequest& request, const Plan& plan) {
  if (plan.model.benchmark.empty()) {
    if (request.settings.contains("recipe"))
      throw InputError(fmt::format("--set recipe={}", setting(request.settings, "recipe")),
                       fmt::format("nothing is known of the convergence of {}; `mlsim list recipes` shows the "
                                   "benchmarks with recipes",
                                   plan.model.name));
    return {};
  }
  const std::string asked = setting(request.settings, "recipe");
  std::vector<std::string> known;
  for (const auto& recipe : recipes(plan.model.benchmark)) known.push_back(recipe.name);
  if (known.empty()) return {};
  if (asked.empty()) return default_recipe(plan.model.benchmark, plan.cluster.accelerator.family);
  if (std::find(known.begin(), known.end(), asked) == known.end()) {
    throw InputError(fmt::format("--set recipe={}", asked), unknown_word("recipe", asked, known));
  }
  return asked;
}

// By key: what the ranks of the step say.
std::map<ExchangeKey, Traffic> traffic_of(const StepGraph& graph) {
  std::map<ExchangeKey, Traffic> traffic;
  for (auto [v, end] = boost::vertices(graph); v != end; ++v) {
    const StepNode& node = graph[*v];
    if (!is_exchange(node)) continue;
    Traffic& sum = traffic[key_of(node)];
    sum.largest = max(sum.largest, node.payload);
    sum.count += node.repeats;
    sum.total += node.payload * node.repeats;
  }
  return traffic;
}

// What a step of the plan pushes to servers: data parallelism is all they are modelled for.
void check_server_axes(const StepPlan& step) {
  if (step.parameter_servers && step.parallelism != data_parallel(step.parallelism.ranks()))
    throw Infeasible(fmt::format("parameter servers serve ranks that hold the whole model, not {}; data={} works",
                                 to_text(step.parallelism), step.parallelism.ranks()));
}

// The terms of a stack with servers, where a profile has them under its name and "-servers".
void use_server_terms(Plan& plan, const std::vector<Profile>& profiles) {
  const std::string name = plan.stack.stack + "-servers";
  for (const Profile& profile : profiles) {
    if (profile.accelerator != plan.cluster.accelerator.name) continue;
    for (const StackTerm& term : profile.stacks)
      if (term.stack == name) plan.stack = term;
  }
}

// By NCCL's variants where they are asked for.
PlannedCollective planned_for_all(const Plan& plan, CollectiveKind kind, Bytes bytes,
                                  const std::optional<std::string>& forced) {
  const NcclRequest request = nccl_request(plan.settings, forced);
  return request.asks() ? plan_with_nccl(plan.cluster, kind, bytes, plan.efficiency, request)
                        : plan_collective(plan.cluster, kind, bytes, plan.efficiency, forced);
}

// Its tuner is told of here with all ranks in one communicator.
void check_nccl_axes(const Plan& plan) {
  if (nccl_request(plan.settings, {}).asks() && plan.cluster.ranks() > 1)
    throw Infeasible(fmt::format("choice=nccl and protocol= are for exchanges between all ranks, not for {}; data={} "
                                 "without parameter servers works",
                                 plan.servers ? "parameter servers" : to_text(plan.step.parallelism),
                                 plan.cluster.ranks()));
}

}  // namespace

Plan make_plan(const PredictRequest& request) {
  check_settings(request.settings);
  Plan plan;
  plan.settings = request.settings;
  plan.model = load_model(request.workload);
  plan.cluster = build_cluster(request.topology, request.accelerators, defects_of(request.settings));
  plan.warnings = plan.cluster.notes;
  plan.recipe = choose_recipe(request, plan);
  plan.stack = choose_stack(request.profiles, request.anchors, plan.cluster.accelerator.name, plan.model.family,
                            setting(request.settings, "stack"));
  plan.servers = choose_servers(request.settings, plan.model, plan.cluster);
  if (plan.servers) use_server_terms(plan, request.profiles);
  if (const auto engine = setting(request.settings, "engine"); !engine.empty()) plan.engine = parse_engine(engine);
  plan.overlap_slowdown = parse_number(setting(request.settings, "overlap_slowdown", "0"));
  plan.real_data = setting(request.settings, "data", "synthetic") == "real";
  plan.step = step_plan(request, plan);
  // Parameter servers speak for themselves, not through a library of collectives.
  plan.efficiency = plan.servers ? fitted_links()
                                 : communicator_links(plan.cluster, setting(request.settings, "communicator"),
                                                      plan.step.gradient_element);
  check_axis_settings(plan.settings, plan.step.parallelism);
  split(plan);
  plan.warnings.insert(plan.warnings.end(), plan.part.notes.begin(), plan.part.notes.end());
  plan.global_batch = choose_batch(request, plan);
  plan.step.batch_per_accelerator = plan.global_batch / plan.step.parallelism.batch_ranks();
  check_micro_batches(plan.step);
  check_server_axes(plan.step);
  if (uses_horovod(plan.settings)) check_horovod(plan);
  check_memory(plan);
  return plan;
}

LoweredPlan lower_plan(const Plan& plan) {
  LoweredPlan lowered{
      plan.pipeline ? lower_pipeline(plan.part, plan.step, *plan.pipeline) : lower(plan.part, plan.step), {}, {}};
  const auto traffic = traffic_of(lowered.graph);
  std::optional<std::string> forced;
  if (const auto algorithm = setting(plan.settings, "algorithm"); !algorithm.empty()) {
    forced = algorithm;
  } else if (setting(plan.settings, "variable_update") == "replicated" && plan.cluster.nodes == 1) {
    forced = "ring";  // NCCL 1, which TensorFlow of 2017 calls, has one ring in the order of the devices
  }
  const Parallelism& parallelism = plan.step.parallelism;
  if (parallelism != data_parallel(parallelism.ranks()) || plan.servers) check_nccl_axes(plan);
  if (parallelism == data_parallel(parallelism.ranks())) {
    for (const auto& [key, each] : traffic)
      lowered.collectives.emplace(
          key, plan.servers
                   ? plan_server_exchange(plan.cluster, *plan.servers, key.kind, each.largest, plan.efficiency)
                   : planned_for_all(plan, key.kind, each.largest, forced));
    return lowered;
  }
  lowered.mesh = choose_mesh(plan.cluster, parallelism, traffic, plan.efficiency, setting(plan.settings, "mesh"));
  for (const auto& [key, each] : traffic)
    lowered.collectives.emplace(
        key, plan_exchange(plan.cluster, lowered.mesh->mesh, key, each.largest, plan.efficiency, forced));
  return lowered;
}

}  // namespace mlsim
