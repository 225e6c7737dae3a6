#include "workloads/memory.hpp"

#include <cmath>
#include <limits>

#include "workloads/layer_work.hpp"

namespace mlsim {
namespace {

// Assumed: a driver context with its kernel libraries loaded takes 0.3 to 0.6 GB.
constexpr Bytes kRuntime(0.5e9);
// Assumed: caching allocators lose 2 to 10 % to fragmentation, and convolutions want scratch beside; the upper end, so
// that a batch that is said to fit does.
constexpr double kScratch = 0.10;

MemoryUse sum_of(const MemoryUse& fixed, Bytes activations) {
  MemoryUse use = fixed;
  use.activations = activations;
  use.workspace += activations * kScratch;
  return use;
}

MemoryUse without_activations(const Model& model, const StepPlan& plan) {
  const double parameters = double(model.parameters());
  const Bytes element = element_size(plan.precision);
  const double owners = plan.sharded_update ? plan.data_parallel : 1;
  MemoryUse use;
  use.weights = (element < Bytes(4) ? Bytes(4) + element : Bytes(4)) * parameters;
  use.gradients = element * parameters;
  use.optimizer_state = state_bytes_per_parameter(plan.optimizer) * (parameters / owners);
  use.workspace = kRuntime;
  // Buckets are filled by copying (the default of PyTorch's DistributedDataParallel, gradient_as_bucket_view=False).
  if (plan.data_parallel > 1) use.buffers = plan.gradient_element * parameters;
  return use;
}

}  // namespace

std::int64_t kept_elements(const Model& model) {
  std::vector<bool> kept(model.layers.size() + 1);  // [0] is the model's input
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    const std::size_t input = static_cast<std::size_t>(layer.inputs.front()) + 1;
    switch (layer.kind) {
      case LayerKind::convolution:
      case LayerKind::dense:
      case LayerKind::batch_normalization:
      case LayerKind::max_pool: kept[input] = true; break;
      case LayerKind::relu:
      case LayerKind::softmax_loss: kept[i + 1] = true; break;
      case LayerKind::add:
      case LayerKind::average_pool: break;
    }
  }
  std::int64_t elements = kept[0] ? model.input.elements() : 0;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (kept[i + 1]) elements += model.layers[i].output.elements();
  }
  return elements;
}

MemoryUse memory_use(const Model& model, const StepPlan& plan) {
  check_plan(plan);
  const double samples = std::ceil(plan.batch_per_accelerator);
  return sum_of(without_activations(model, plan),
                element_size(plan.precision) * (samples * double(kept_elements(model))));
}

int largest_batch(const Model& model, const StepPlan& plan, Bytes memory) {
  const Bytes fixed = without_activations(model, plan).total();
  const Bytes per_sample = element_size(plan.precision) * (double(kept_elements(model)) * (1 + kScratch));
  const double batch = std::floor((memory - fixed) / per_sample);
  if (!(batch > 0)) return 0;
  return static_cast<int>(std::min(batch, double(std::numeric_limits<int>::max())));
}

}  // namespace mlsim
