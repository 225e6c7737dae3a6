// A `ResourceShare` is what one resource contributes to a critical path.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/result/explanation.hpp"
#include "sim/costed_step/costed_step.hpp"
#include "sim/explain/critical_path.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// A `Resource` belongs to the machine, and says how to have more of it.
struct Resource {
  std::string name;         // "NIC bandwidth"
  bool of_kernels = false;  // else of what goes between ranks
  WhatIf more;              // 1 % more of it; of latency, 1 % more of what divides it
};
inline constexpr double kLittleMore = 1.01;

/// Lists what kernels and the links of the cluster are made of: matrix units, memory bandwidth, bandwidth and latency
/// of each kind of link that the cluster has, and the latency of a call where the library has one.
std::vector<Resource> resources_of(const Cluster& cluster, const LinkEfficiency& efficiency);

/// Says how the path spends its time, the largest share first; the shares sum to the path. A node's time is a sum of
/// terms that each divide by one resource, so that a term is what 1 % more of the resource takes away, times 1.01 /
/// 0.01; `more` holds the step under each of `resources`. The rest of a kernel is launches; that of a collective is
/// only rounding, which is spread. Other time is named by its cause: host, input, optimizer, slow ranks, contention.
std::vector<ResourceShare> resource_shares(const CostedStep& step, const std::vector<Resource>& resources,
                                           const std::vector<std::unique_ptr<const CostedStep>>& more,
                                           const std::vector<PathStep>& path);

}  // namespace mlsim::sim
