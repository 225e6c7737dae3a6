// Slow and failed links and slow ranks, applied to a built cluster.
#pragma once

#include "topologies/catalogue.hpp"

namespace mlsim::topologies {

/// Throws InputError on a link or rank that is not there, naming the ones that are.
void apply_defects(Cluster& cluster, const Defects& defects);

}  // namespace mlsim::topologies
