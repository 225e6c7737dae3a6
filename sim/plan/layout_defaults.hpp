// Layout defaults are what a question leaves open of how its model is laid out, as users of Megatron-LM and PyTorch
// have it.
#pragma once

#include "sim/namespace.hpp"
#include "sim/plan/request.hpp"
#include "topologies/cluster/cluster.hpp"
#include "workloads/lowering/parallelism.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {

/// Returns the request with the counts of its --parallelism as settings (interleave, samples of a micro-batch) and with
/// the usual settings of a language model (workloads::trains_as_language_model): sequence_parallel with tensor ranks
/// that divide its tokens and with their exchanges as its software has them, tokens dispatched to experts as it does,
/// the optimizer's state sharded over several data ranks, micro-batches of one sample in a pipeline. Throws InputError
/// where both say the same or a setting cannot act, Infeasible where micro-batches do not divide the batch.
PredictRequest with_layout_defaults(PredictRequest request, const Model& model, const Cluster& cluster);

/// Returns the options of a layout that is tried: tokens of a language model are split between tensor ranks unless they
/// say otherwise.
ParallelismOptions with_split_tokens(ParallelismOptions options, const Model& model, const Parallelism& parallelism);

/// Makes data ranks that hold the same shards an axis of their own: those of `sharding_ranks`, or where it is not said
/// those of a slice, since the network between slices is slow for shards (Austin et al., How to Scale Your Model, 2025,
/// part 5). Throws Infeasible where groups of `sharding_ranks`
/// do not divide them, with the nearest that do.
void take_replicas(Parallelism& parallelism, const MemoryOptions& memory, const Cluster& cluster);

}  // namespace mlsim::sim
