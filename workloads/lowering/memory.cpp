#include "workloads/lowering/memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "workloads/lowering/gradient_bucket.hpp"
#include "workloads/lowering/kept_tensors.hpp"

namespace mlsim::workloads {
namespace {

// A driver context with its kernel libraries loaded takes 0.3 to 0.6 GB (assumed).
constexpr Bytes kRuntime(0.5e9);
// Caching allocators lose 2 to 10 % to fragmentation, and convolutions want scratch on top (assumed). The upper end
// would refuse batches that MLPerf submissions ran.
constexpr double kScratch = 0.06;

struct Parameters {
  double frozen = 0, dense = 0, sparse = 0;  // dense and sparse ones are trained
  double updated = 0;                        // dense ones of which this rank keeps the optimizer state
};

Parameters count_parameters(const ShardedModel& sharded, const StepPlan& plan,
                            const std::vector<SparseGradient>& gradients) {
  const Model& model = sharded.model;
  Parameters count;
  std::vector<bool> sparse(model.layers.size());
  for (const auto& gradient : gradients) sparse[gradient.layer] = true;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    const auto parameters = double(layer.parameters());
    if (!layer.trainable) {
      count.frozen += parameters;
      continue;
    }
    (sparse[i] ? count.sparse : count.dense) += parameters;
    if (!sparse[i])
      count.updated += parameters / (plan.sharded_update ? plan.parallelism.size_of(sharded.gradient_axes[i]) : 1);
  }
  return count;
}

// Returns all but the activations. Sparse gradients grow with the batch.
MemoryUse without_activations(const ShardedModel& sharded, const StepPlan& plan,
                              const std::vector<SparseGradient>& gradients) {
  const Parameters parameters = count_parameters(sharded, plan, gradients);
  const Bytes element = element_size(plan.precision);
  MemoryUse use;
  const Bytes everywhere = element < Bytes(4) ? Bytes(4) + element : Bytes(4);
  // Frozen weights are only read: in the step's format, of eight bits in eight-bit steps (NVIDIA NeMo, fp8_params).
  const Bytes read_only = plan.precision == Precision::fp8 ? Bytes(1) : element;
  use.weights = everywhere * (parameters.dense + parameters.sparse) + read_only * parameters.frozen;
  // Where a sharded update gathers weights in 16 bits, a rank has only its own part of the fp32 ones.
  const Bytes gathered = element_size(plan.weight_precision.value_or(plan.precision));
  if (plan.sharded_update && gathered < Bytes(4))
    use.weights += (gathered - everywhere) * parameters.dense + Bytes(4) * parameters.updated;
  // Without fusion the gradients' casts to fp32 are kept together with 16-bit gradients (google-research/bert,
  // optimization.py, clips all of them by their common norm, so all are there at once).
  const Bytes cast = !plan.fusion && element < Bytes(4) ? Bytes(4) : Bytes(0);
  use.gradients = (element + cast) * parameters.dense;
  use.optimizer_state = state_bytes_per_parameter(plan.optimizer) * (parameters.updated + parameters.sparse);
  use.workspace = kRuntime;
  // Copying fills buckets (the default of PyTorch's DistributedDataParallel, gradient_as_bucket_view=False).
  if (!plan.parallelism.used(kGradientAxes).empty()) use.buffers = plan.gradient_element * parameters.dense;
  for (const auto& gradient : gradients) {
    use.gradients += element * (gradient.rows * double(gradient.width));
    if (!gradient.axes.empty()) use.buffers += gradient.payload;
  }
  return use;
}

}  // namespace

std::pair<std::string_view, Bytes> largest_part(const MemoryUse& use) {
  using Part = std::pair<std::string_view, Bytes>;
  const std::array<Part, 6> parts{
      Part{"weights", use.weights},     {"gradients", use.gradients}, {"optimizer state", use.optimizer_state},
      {"activations", use.activations}, {"workspace", use.workspace}, {"communication buffers", use.buffers}};
  return *std::max_element(parts.begin(), parts.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
}

Bytes kept_per_sample(const ShardedModel& sharded, const StepPlan& plan) {
  return kept_tensors(sharded, plan.fusion, run_again(plan.recompute)).bytes(plan.precision, plan.in_flight);
}

MemoryUse memory_use(const ShardedModel& sharded, const StepPlan& plan) {
  return memory_use(sharded, plan, kept_per_sample(sharded, plan));
}

MemoryUse memory_use(const ShardedModel& sharded, const StepPlan& plan, Bytes kept_per_sample) {
  check_plan(plan);
  const double samples = std::ceil(plan.batch_per_accelerator / plan.micro_batches);
  MemoryUse use = without_activations(sharded, plan, sparse_gradients(sharded, plan));
  use.activations = kept_per_sample * samples;
  use.workspace += use.activations * kScratch;
  return use;
}

int largest_batch(const ShardedModel& sharded, const StepPlan& plan, Bytes memory) {
  StepPlan one = plan;
  one.batch_per_accelerator = 1;
  check_plan(one);
  auto gradients = sparse_gradients(sharded, one);
  const MemoryUse first = without_activations(sharded, one, gradients);
  for (auto& gradient : gradients) {
    gradient.rows = 0;
    gradient.payload = Bytes(0);
  }
  const Bytes fixed = without_activations(sharded, one, gradients).total();
  const Bytes rows_per_sample = first.total() - fixed;
  const Bytes kept = kept_per_sample(sharded, plan) * (1 + kScratch);
  const double samples = std::floor((memory - fixed) / (kept + rows_per_sample * double(plan.micro_batches)));
  if (!(samples > 0)) return 0;
  return static_cast<int>(std::min(samples * plan.micro_batches, double(std::numeric_limits<int>::max())));
}

}  // namespace mlsim::workloads
