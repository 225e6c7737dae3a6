#include "sim/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "core/split.hpp"
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

StackTerm stack_term(const PredictRequest& request, const std::string& accelerator) {
  const std::string asked = setting(request.settings, "stack");
  std::vector<std::string> known;
  for (const auto& profile : request.profiles) {
    for (const auto& term : profile.stacks) known.push_back(term.stack);
    if (profile.accelerator != accelerator) continue;
    for (const auto& term : profile.stacks) {
      if (asked.empty() || term.stack == asked) return term;
    }
  }
  for (const auto& anchor : request.anchors) known.push_back(setting(anchor.settings, "stack"));
  if (!asked.empty() && std::find(known.begin(), known.end(), asked) == known.end()) {
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    throw InputError(fmt::format("--set stack={}", asked), unknown_word("stack", asked, known));
  }
  // A stack known only by its anchors: the newest terms of the accelerator, said as such.
  for (const auto& profile : request.profiles) {
    if (profile.accelerator == accelerator && !profile.stacks.empty()) {
      StackTerm term = profile.stacks.front();
      term.source = {Provenance::assumed, fmt::format("terms of {}, the nearest known stack", term.stack), ""};
      term.stack = asked;
      return term;
    }
  }
  StackTerm none;
  none.stack = asked;
  none.source = {Provenance::assumed, fmt::format("no stack is known for {}; no fixed step time assumed", accelerator),
                 ""};
  return none;
}

StepPlan step_plan(const PredictRequest& request, const Plan& plan) {
  const Settings& settings = request.settings;
  const bool tpu = plan.cluster.accelerator.family == "tpu";
  StepPlan step;
  step.data_parallel = plan.cluster.ranks();
  step.precision = chosen_precision(request, plan.cluster.accelerator);
  const bool lars = plan.recipe.find("lars") != std::string::npos;
  step.optimizer = parse_optimizer(setting(settings, "optimizer", lars ? "lars" : "momentum"));
  // TPU programs sum gradients in fp32; mixed-precision GPU stacks exchange them in the 16-bit format.
  step.gradient_element = tpu ? Bytes(4) : element_size(step.precision);
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
  int b = std::min(256, largest_batch(plan.model, plan.step, plan.cluster.accelerator.memory.value));
  if (!plan.recipe.empty()) {
    const double most = std::floor(largest_known_batch(plan.model.benchmark, plan.recipe) / ranks);
    b = std::min(b, static_cast<int>(std::max(1.0, most)));
  }
  return static_cast<double>(std::max(b, 1)) * ranks;
}

void check_memory(const Plan& plan) {
  const Bytes memory = plan.cluster.accelerator.memory.value;
  const MemoryUse use = memory_use(plan.model, plan.step);
  if (use.total() <= memory) return;
  const int most = largest_batch(plan.model, plan.step, memory);
  throw Infeasible(fmt::format("{:g} samples per accelerator need {} ({} of them activations) and {} holds {}; {}",
                               plan.step.batch_per_accelerator, to_text(use.total()), to_text(use.activations),
                               plan.cluster.accelerator.title, to_text(memory),
                               most > 0
                                   ? fmt::format("at most {} fit (global batch {})", most, most * plan.cluster.ranks())
                                   : std::string("not even one fits")));
}

std::string choose_recipe(const PredictRequest& request, const Plan& plan) {
  if (plan.model.benchmark.empty()) {
    if (request.settings.contains("recipe"))
      throw InputError("--set recipe", fmt::format("{} has no convergence data", plan.model.name));
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
  plan.stack = stack_term(request, plan.cluster.accelerator.name);
  if (const auto engine = setting(request.settings, "engine"); !engine.empty()) plan.engine = parse_engine(engine);
  plan.real_data = setting(request.settings, "data", "synthetic") == "real";
  plan.step = step_plan(request, plan);
  plan.global_batch = choose_batch(request, plan);
  plan.step.batch_per_accelerator = plan.global_batch / plan.cluster.ranks();
  check_memory(plan);
  if (const auto update = setting(request.settings, "variable_update");
      update.ends_with("server") || update.starts_with("distributed")) {
    plan.warnings.push_back(fmt::format(
        "variable_update={} is costed as an all-reduce; parameter servers have no model of their own yet", update));
  }
  return plan;
}

LoweredPlan lower_plan(const Plan& plan) {
  LoweredPlan lowered;
  lowered.graph = lower(plan.model, plan.step);
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
