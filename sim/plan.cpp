#include "sim/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "core/split.hpp"
#include "sim/memory_check.hpp"
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
  return defects;
}

// "data=64": the one axis there is so far must cover all ranks.
void check_parallelism(const std::string& text, int ranks) {
  for_each_item(text, [&](const std::string& item) {
    const auto equals = item.find('=');
    if (equals == std::string::npos)
      throw InputError("--parallelism", fmt::format("\"{}\" is not of the form axis=ranks", item));
    const std::string axis = item.substr(0, equals);
    if (axis != "data") throw InputError("--parallelism", unknown_word("axis", axis, {"data"}));
    int size = 0;
    try {
      size = parse_count(item.substr(equals + 1));
    } catch (const InputError& e) {
      throw InputError("--parallelism", e.reason());
    }
    if (size != ranks) {
      throw Infeasible(fmt::format("data={} does not cover the {} accelerators; data={} does", size, ranks, ranks));
    }
  });
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

StepPlan step_plan(const PredictRequest& request, const Plan& plan) {
  const Settings& settings = request.settings;
  const bool tpu = plan.cluster.accelerator.family == "tpu";
  StepPlan step;
  step.data_parallel = plan.cluster.ranks();
  step.precision = chosen_precision(request, plan.cluster.accelerator);
  step.optimizer = default_optimizer(plan.recipe, plan.model.family);
  if (const auto optimizer = setting(settings, "optimizer"); !optimizer.empty()) {
    step.optimizer = parse_optimizer(optimizer);
  }
  step.multi_tensor = is_on(settings, "multi_tensor", true);
  step.recompute = setting(settings, "recompute", "off") == "full";
  if (const auto parts = setting(settings, "accumulation"); !parts.empty()) step.micro_batches = parse_count(parts);
  // TPU programs and TensorFlow's mixed precision sum gradients in fp32; other mixed-precision GPU stacks exchange them
  // in the 16-bit format.
  step.gradient_element = tpu || plan.stack.wide_gradients ? Bytes(4) : element_size(step.precision);
  if (const auto format = setting(settings, "gradient_precision"); !format.empty()) {
    step.gradient_element = element_size(parse_precision(format));
  }
  step.overlap = is_on(settings, "overlap", plan.stack.overlap);
  // Buckets exist to start early; where nothing overlaps, one exchange of all gradients has the fewest messages.
  if (!step.overlap)
    step.bucket = step.first_bucket = step.gradient_element * static_cast<double>(plan.model.parameters());
  if (const auto bucket = setting(settings, "bucket"); !bucket.empty()) {
    step.bucket = parse_quantity<Bytes>(bucket);
    step.first_bucket = min(step.first_bucket, step.bucket);
  }
  step.fusion = is_on(settings, "fusion", plan.stack.fusion);
  step.sharded_update = is_on(settings, "sharded_update", plan.stack.sharded_update) && step.data_parallel > 1;
  return step;
}

// Checks a batch that the user gave, or takes the usual one: what fits, at most the largest with known convergence.
double choose_batch(const PredictRequest& request, const Plan& plan) {
  const int ranks = plan.cluster.ranks();
  const auto absurd = [](double batch) { return !(batch > 0) || batch > 1e9; };
  if (request.global_batch && request.batch_per_accelerator) {
    throw InputError("--global-batch", "and --batch-per-accelerator exclude each other");
  }
  if (request.batch_per_accelerator) {
    const double b = *request.batch_per_accelerator;
    if (absurd(b) || b != std::floor(b))
      throw InputError("--batch-per-accelerator", fmt::format("{} is no whole number of samples", b));
    return b * ranks;
  }
  if (request.global_batch) {
    const double batch = *request.global_batch;
    if (absurd(batch) || batch != std::floor(batch))
      throw InputError("--global-batch", fmt::format("{} is no whole number of samples", batch));
    const double below = std::floor(batch / ranks) * ranks;
    if (below == batch) return batch;
    throw Infeasible(
        below == 0
            ? fmt::format("a global batch of {} is less than one sample on each of {} accelerators; {} is the least",
                          batch, ranks, ranks)
            : fmt::format("a global batch of {} does not divide over {} accelerators; {} and {} do", batch, ranks,
                          below, below + ranks));
  }
  // 256 a chip is what large ResNet runs use where memory and convergence allow (MLPerf v0.5-v1.0 logs: 204 to 408).
  // Others take what fits, and no more than one step an epoch.
  const bool images = plan.model.family == "convolutional";
  const auto epoch = static_cast<int>(std::min<std::int64_t>(plan.model.dataset.train_samples / ranks, 1'000'000));
  int b = std::min(images ? 256 : std::max(1, epoch),
                   largest_batch(plan.model, plan.step, plan.cluster.accelerator.memory.value));
  if (!plan.recipe.empty()) {
    const double most = std::floor(largest_known_batch(plan.model.benchmark, plan.recipe) / ranks);
    b = std::min(b, static_cast<int>(std::max(1.0, most)));
  }
  const int parts = plan.step.micro_batches;
  return static_cast<double>(std::max(b / parts, 1) * parts) * ranks;
}

void check_micro_batches(const StepPlan& step) {
  const double size = step.batch_per_accelerator / step.micro_batches;
  if (size == std::floor(size)) return;
  const double below = std::floor(size) * step.micro_batches, above = below + step.micro_batches;
  const std::string nearest = below > 0 ? fmt::format("{:g} and {:g} do", below, above) : fmt::format("{:g} do", above);
  throw Infeasible(fmt::format("{:g} samples per accelerator do not divide into {} micro-batches; {}",
                               step.batch_per_accelerator, step.micro_batches, nearest));
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

}  // namespace

Plan make_plan(const PredictRequest& request) {
  check_settings(request.settings);
  Plan plan;
  plan.settings = request.settings;
  plan.model = load_model(request.workload);
  plan.cluster = build_cluster(request.topology, request.accelerators, defects_of(request.settings));
  plan.warnings = plan.cluster.notes;
  check_parallelism(request.parallelism, plan.cluster.ranks());
  plan.efficiency = fitted_links();
  plan.recipe = choose_recipe(request, plan);
  plan.stack = choose_stack(request.profiles, request.anchors, plan.cluster.accelerator.name, plan.model.family,
                            setting(request.settings, "stack"));
  if (const auto engine = setting(request.settings, "engine"); !engine.empty()) plan.engine = parse_engine(engine);
  plan.real_data = setting(request.settings, "data", "synthetic") == "real";
  plan.step = step_plan(request, plan);
  plan.global_batch = choose_batch(request, plan);
  plan.step.batch_per_accelerator = plan.global_batch / plan.cluster.ranks();
  check_micro_batches(plan.step);
  check_memory(plan);
  if (const auto update = setting(request.settings, "variable_update");
      update.ends_with("server") || update.starts_with("distributed")) {
    plan.warnings.push_back(fmt::format(
        "variable_update={} is costed as an all-reduce; parameter servers have no model of their own yet", update));
  }
  return plan;
}

LoweredPlan lower_plan(const Plan& plan) {
  LoweredPlan lowered{lower(plan.model, plan.step), {}};
  std::map<CollectiveKind, Bytes> largest;
  for (auto [v, end] = boost::vertices(lowered.graph); v != end; ++v) {
    const StepNode& node = lowered.graph[*v];
    if (node.kind == NodeKind::collective) largest[node.collective] = max(largest[node.collective], node.payload);
  }
  const std::string forced = setting(plan.settings, "algorithm");
  for (const auto& [kind, bytes] : largest) {
    lowered.collectives.emplace(kind,
                                plan_collective(plan.cluster, kind, bytes, plan.efficiency,
                                                forced.empty() ? std::nullopt : std::optional<std::string>(forced)));
  }
  return lowered;
}

}  // namespace mlsim
