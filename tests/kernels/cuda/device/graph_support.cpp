#include "tests/kernels/cuda/device/graph_support.hpp"

#include <limits>

#include "core/text/errors.hpp"
#include "kernels/cuda/cudnn/cudnn_plan.hpp"

namespace mlsim::kernels::cuda {
namespace {

BackendDescriptor properties_of(const std::string& json) {
#if CUDNN_VERSION >= 90800
  BackendDescriptor d(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  d.set_all(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, json);
  d.finalize("describing a GPU");
  return d;
#else
  throw Unavailable("cuDNN before 9.8 plans for no GPU but its own, and not for " + json);
#endif
}

// The plan is a graph for a GPU that is not there.
struct Plan {
  Plan(const OperationGraph& described, Precision precision, const std::string& json)
      : properties(properties_of(json)),
        graph(described, {nullptr, properties.get()}),
        offers(plan_offers(graph, precision)) {}
  BackendDescriptor properties;
  CudnnGraph graph;
  PlanOffers offers;
};

}  // namespace

void describe_graph(const OperationGraph& graph) { CudnnGraph(graph, {}); }

std::size_t offered_kernels(const OperationGraph& graph, Precision precision, const std::string& properties) {
  return Plan(graph, precision, properties).offers.configurations.size();
}

std::string first_kernel_refusal(const OperationGraph& graph, Precision precision, const std::string& properties) {
  Plan plan(graph, precision, properties);
  auto& offered = plan.offers.configurations;
  if (offered.empty()) throw Unavailable("cuDNN offers no kernel for an operation graph: " + plan.offers.refusal);
  while (offered.size() > 1) offered.pop_back();
  const CudnnPlans plans = find_plans(plan.graph, std::move(plan.offers), std::numeric_limits<std::size_t>::max(), 1);
  return plans.ready.empty() ? plans.refusal : "";
}

}  // namespace mlsim::kernels::cuda
