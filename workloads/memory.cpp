#include "workloads/memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "workloads/kept_tensors.hpp"

namespace mlsim {
namespace {

// Assumed: a driver context with its kernel libraries loaded takes 0.3 to 0.6 GB.
constexpr Bytes kRuntime(0.5e9);
// Assumed: caching allocators lose 2 to 10 % to fragmentation, and convolutions want scratch beside. The upper end
// would refuse batches that MLPerf submissions ran.
constexpr double kScratch = 0.06;

struct Parameters {
  double all = 0, dense = 0, sparse = 0;  // of dense and sparse ones, those that are trained
};

Parameters count_parameters(const Model& model, const std::vector<SparseGradient>& gradients) {
  Parameters count;
  count.all = double(model.parameters());
  for (const auto& gradient : gradients) {
    count.sparse += double(model.layers[static_cast<std::size_t>(gradient.layer)].parameters());
  }
  count.dense = double(model.trainable_parameters()) - count.sparse;
  return count;
}

// All but the activations. Sparse gradients grow with the batch.
MemoryUse without_activations(const Model& model, const StepPlan& plan, const std::vector<SparseGradient>& gradients) {
  const Parameters parameters = count_parameters(model, gradients);
  const Bytes element = element_size(plan.precision);
  const double owners = plan.sharded_update ? plan.data_parallel : 1;
  MemoryUse use;
  use.weights = (element < Bytes(4) ? Bytes(4) + element : Bytes(4)) * parameters.all;
  // Without fusion their casts to fp32 stand beside 16-bit gradients (google-research/bert, optimization.py, clips all
  // of them by their common norm, so all are there at once).
  const Bytes cast = !plan.fusion && element < Bytes(4) ? Bytes(4) : Bytes(0);
  use.gradients = (element + cast) * parameters.dense;
  use.optimizer_state = state_bytes_per_parameter(plan.optimizer) * (parameters.dense / owners + parameters.sparse);
  use.workspace = kRuntime;
  // Buckets are filled by copying (the default of PyTorch's DistributedDataParallel, gradient_as_bucket_view=False).
  if (plan.data_parallel > 1) use.buffers = plan.gradient_element * parameters.dense;
  for (const auto& gradient : gradients) {
    use.gradients += element * (gradient.rows * double(gradient.width));
    if (plan.data_parallel > 1) use.buffers += gradient.payload;
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

Bytes kept_per_sample(const Model& model, const StepPlan& plan) {
  return kept_tensors(model, plan.fusion, plan.recompute).bytes(plan.precision);
}

MemoryUse memory_use(const Model& model, const StepPlan& plan) {
  check_plan(plan);
  const double samples = std::ceil(plan.batch_per_accelerator / plan.micro_batches);
  MemoryUse use = without_activations(model, plan, sparse_gradients(model, plan));
  use.activations = kept_per_sample(model, plan) * samples;
  use.workspace += use.activations * kScratch;
  return use;
}

int largest_batch(const Model& model, const StepPlan& plan, Bytes memory) {
  StepPlan one = plan;
  one.batch_per_accelerator = 1;
  check_plan(one);
  auto gradients = sparse_gradients(model, one);
  const MemoryUse first = without_activations(model, one, gradients);
  for (auto& gradient : gradients) {
    gradient.rows = 0;
    gradient.payload = Bytes(0);
  }
  const Bytes fixed = without_activations(model, one, gradients).total();
  const Bytes rows_per_sample = first.total() - fixed;
  const Bytes kept = kept_per_sample(model, plan) * (1 + kScratch);
  const double samples = std::floor((memory - fixed) / (kept + rows_per_sample * double(plan.micro_batches)));
  if (!(samples > 0)) return 0;
  return static_cast<int>(std::min(samples * plan.micro_batches, double(std::numeric_limits<int>::max())));
}

}  // namespace mlsim
