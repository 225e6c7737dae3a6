#include "kernels/cuda/cudnn/cudnn_plan.hpp"

#include <fmt/format.h>

#include "core/text/units_text.hpp"

namespace mlsim::kernels::cuda {
namespace {

BackendDescriptor unfinished_heuristics(const CudnnGraph& graph, cudnnBackendHeurMode_t mode) {
  BackendDescriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph.descriptor());
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
#if CUDNN_VERSION >= 90800
  if (graph.target().properties != nullptr) {
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, graph.target().properties);
  }
#endif
  return heuristics;
}

std::vector<BackendDescriptor> configurations(const BackendDescriptor& heuristics) {
  std::int64_t count = 0;
  check(cudnnBackendGetAttribute(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0,
                                 &count, nullptr),
        "asking for the kernels of an operation graph");
  std::vector<BackendDescriptor> all;
  std::vector<cudnnBackendDescriptor_t> handles;
  for (std::int64_t i = 0; i < count; ++i) {
    handles.push_back(all.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).get());
  }
  // The library fills in as many as it can run, which may be fewer than it counted.
  std::int64_t filled = 0;
  check(cudnnBackendGetAttribute(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, count,
                                 &filled, handles.data()),
        "asking for the kernels of an operation graph");
  while (static_cast<std::int64_t>(all.size()) > filled) all.pop_back();
  return all;
}

// Tensor cores round fp32 factors to TF32 (cuDNN, CUDNN_NUMERICAL_NOTE_TENSOR_CORE).
bool rounds_factors(const BackendDescriptor& configuration) {
  BackendDescriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t handle = engine.get();
  std::int64_t count = 0;
  check(cudnnBackendGetAttribute(configuration.get(), CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                                 &count, &handle),
        "reading a kernel's description");
  for (const auto note :
       engine.get_all<cudnnBackendNumericalNote_t>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT)) {
    if (note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE || note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) return true;
  }
  return false;
}

BackendDescriptor unfinished_plan(const CudnnGraph& graph, const BackendDescriptor& configuration) {
  BackendDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  if (graph.target().handle != nullptr) plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, graph.target().handle);
#if CUDNN_VERSION >= 90800
  if (graph.target().properties != nullptr) plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, graph.target().properties);
#endif
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
  return plan;
}

// Adds the plan or says why it cannot run.
void add_plan(CudnnPlans& plans, const CudnnGraph& graph, BackendDescriptor configuration, std::size_t workspace) {
  BackendDescriptor plan = unfinished_plan(graph, configuration);
  if (const cudnnStatus_t status = cudnnBackendFinalize(plan.get()); status != CUDNN_STATUS_SUCCESS) {
    plans.refusal = reason(status);
    return;
  }
  const auto bytes = plan.get_all<std::int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, 1).at(0);
  if (static_cast<std::size_t>(bytes) > workspace) {
    plans.refusal = fmt::format("it needs a workspace of {}", to_text(Bytes(double(bytes))));
    return;
  }
  plans.ready.push_back({std::move(configuration), std::move(plan)});
}

}  // namespace

PlanOffers plan_offers(const CudnnGraph& graph, Precision precision) {
  PlanOffers offers;
  for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    const BackendDescriptor heuristics = unfinished_heuristics(graph, mode);
    if (const cudnnStatus_t status = cudnnBackendFinalize(heuristics.get()); status != CUDNN_STATUS_SUCCESS) {
      offers.refusal = reason(status);
      continue;
    }
    for (auto& configuration : configurations(heuristics)) {
      if (precision == Precision::fp32 && rounds_factors(configuration)) {
        offers.refusal = "tensor cores round fp32 to TF32";
      } else {
        offers.configurations.push_back(std::move(configuration));
      }
    }
  }
  return offers;
}

CudnnPlans find_plans(const CudnnGraph& graph, PlanOffers offers, std::size_t workspace, std::size_t most) {
  CudnnPlans plans{{}, std::move(offers.refusal)};
  for (auto& configuration : offers.configurations) {
    if (plans.ready.size() == most) break;
    add_plan(plans, graph, std::move(configuration), workspace);
  }
  return plans;
}

}  // namespace mlsim::kernels::cuda
