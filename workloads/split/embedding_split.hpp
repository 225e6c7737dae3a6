// Embedding model parallelism places the tables of embedding bags on ranks, the rest of the model on all of them.
#pragma once

#include "workloads/lowering/sharded_model.hpp"
#include "workloads/split/table_placement.hpp"

namespace mlsim::workloads {

/// Spreads the tables of embedding bags over the ranks of Axis::embedding; all else stays as it is, with other samples
/// on every rank. Row numbers travel to the tables by an all-to-all, rows back by another and their gradients by a
/// third (Naumov et al., arXiv:1906.00091); of tables cut by rows partial bags by a reduce-scatter and gradients by an
/// all-gather. Payloads are those of the rank with the most look-ups, `load` is that rank's work over the mean, and the
/// layer has the tables of the rank with the most parameters.
///
/// Throws InputError where `ranks` is below 1 and Infeasible where the model has no embedding bag, and as place_tables.
ShardedModel split_embeddings(ShardedModel sharded, int ranks, const TablePlacement& placement = {});

}  // namespace mlsim::workloads
