#include "sim/plan/step_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"
#include "core/units_text.hpp"
#include "sim/plan/horovod_options.hpp"
#include "sim/plan/model_part.hpp"

namespace mlsim::sim {
namespace {

bool is_on(const Settings& settings, const std::string& key, bool otherwise) {
  return setting(settings, key, otherwise ? "on" : "off") == "on";
}

// Mixed precision where the chip has matrix units that gain by it, else fp32.
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

// The recipe's name says it, else the family's usual one.
Optimizer default_optimizer(const std::string& recipe, ModelFamily family) {
  static const std::vector<std::pair<std::string, Optimizer>> words{{"lars", Optimizer::lars},
                                                                    {"lamb", Optimizer::lamb},
                                                                    {"adam", Optimizer::adam},
                                                                    {"asgd", Optimizer::averaged_sgd}};
  for (const auto& [word, optimizer] : words) {
    if (recipe.find(word) != std::string::npos) return optimizer;
  }
  return usual_optimizers(family).front();
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

}  // namespace

StepPlan choose_step(const PredictRequest& request, const Plan& plan) {
  const Settings& settings = request.settings;
  const bool tpu = plan.cluster.accelerator.family == AcceleratorFamily::tpu;
  StepPlan step;
  const ParallelismRequest asked = asked_parallelism(request, plan.model, plan.cluster.ranks());
  step.parallelism = asked.parallelism;
  step.precision = chosen_precision(request, plan.cluster.accelerator);
  step.optimizer = default_optimizer(plan.recipe, plan.model.family);
  if (const auto optimizer = setting(settings, "optimizer"); !optimizer.empty()) {
    step.optimizer = parse<Optimizer>(optimizer);
  }
  step.multi_tensor = is_on(settings, "multi_tensor", true);
  step.recompute = setting(settings, "recompute", "off") == "full";
  step.micro_batches = micro_batches(asked, settings);
  // TPU programs and TensorFlow's mixed precision sum gradients in fp32; other mixed-precision GPU stacks exchange them
  // in the 16-bit format.
  step.gradient_element = tpu || plan.stack.wide_gradients ? Bytes(4) : element_size(step.precision);
  if (const auto format = setting(settings, "gradient_precision"); !format.empty()) {
    step.gradient_element = element_size(parse<Precision>(format));
  }
  step.parameter_servers = plan.servers.has_value();
  step.overlap =
      is_on(settings, "overlap", plan.servers ? plan.servers->overlaps(plan.cluster.nodes) : plan.stack.overlap);
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
  step.sharded_update =
      is_on(settings, "sharded_update", plan.stack.sharded_update && !plan.servers && !uses_horovod(settings)) &&
      !step.parallelism.used(kGradientAxes).empty();
  if (const auto format = setting(settings, "weight_precision"); !format.empty()) {
    if (!step.sharded_update)
      throw InputError(fmt::format("--set weight_precision={}", format),
                       "changes nothing without sharded_update=on on several ranks");
    step.weight_precision = parse<Precision>(format);
  }
  return step;
}

}  // namespace mlsim::sim
