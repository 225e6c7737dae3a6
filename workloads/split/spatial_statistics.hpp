// Ranks exchange these sums for the mean and variance of a batch normalisation.
#pragma once

#include "workloads/lowering/sharded_model.hpp"

namespace mlsim::workloads {

/// Says whether the layer takes mean and variance of its input: a batch normalisation that is not frozen.
bool has_statistics(const Layer& layer);

/// Sums the statistics of the layer over `axes` too: adds the two exchanges, or widens those that are there.
void share_statistics(ShardedModel& sharded, int layer, AxisSet axes);

/// Puts the exchanges in the order of their layers.
void sort_exchanges(ShardedModel& sharded);

}  // namespace mlsim::workloads
