// A `CudnnPlan` is a kernel that cuDNN offers for an operation graph.
#pragma once

#include "core/kernel/precision.hpp"
#include "kernels/cuda/cudnn/cudnn_graph.hpp"

namespace mlsim::kernels::cuda {

/// Engine configurations stand in the order of the time that the library expects, then those that it falls back to.
struct PlanOffers {
  std::vector<BackendDescriptor> configurations;
  std::string refusal;  // why something was left out, where it was
};

/// Returns the library's configurations for the graph; in fp32 none that rounds to fewer bits.
PlanOffers plan_offers(const CudnnGraph& graph, Precision precision);

/// A plan is one of them, ready to run; the library compiles some of them for that.
struct CudnnPlan {
  BackendDescriptor configuration, plan;
};

struct CudnnPlans {
  std::vector<CudnnPlan> ready;
  std::string refusal;  // why the last one is not
};

/// Finds the first `most` that take no more than `workspace` bytes; configurations that are not tried are dropped.
CudnnPlans find_plans(const CudnnGraph& graph, PlanOffers offers, std::size_t workspace, std::size_t most);

}  // namespace mlsim::kernels::cuda
