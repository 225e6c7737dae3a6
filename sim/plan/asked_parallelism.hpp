// asked_parallelism() returns the axes that a question asks for.
#pragma once

#include "sim/namespace.hpp"
#include "sim/plan/request.hpp"
#include "workloads/lowering/parallelism.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {

/// Combines --parallelism with the settings about its axes: batch_norm_group takes ranks from the data axis. Throws
/// InputError and Infeasible.
ParallelismRequest asked_parallelism(const PredictRequest& request, const Model& model, int ranks);

}  // namespace mlsim::sim
