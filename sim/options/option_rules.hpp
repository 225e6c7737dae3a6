// These rules say which options go together, and which change nothing of an answer.
#pragma once

#include <string>

#include "sim/namespace.hpp"
#include "sim/options/options.hpp"
#include "workloads/lowering/parallelism.hpp"
#include "workloads/lowering/step_plan.hpp"

namespace mlsim::sim {

/// Throws InputError for an option that only counts beside another one that is not given (storage_bandwidth without
/// data=real), and for two that exclude each other (bucket with exchange=horovod).
void check_combinations(const Options& options);

/// Throws InputError for an option of the job where the answer has none. Those of goodput count where the answer
/// `says_goodput`, here and in check_one_step().
void check_jobless(const Options& options, bool says_goodput = false);

/// Throws InputError for an option of the job or of the spread of many steps where the answer is of one step.
void check_one_step(const Options& options, bool says_goodput = false);

/// Throws InputError for an option that changes nothing of a collective by itself.
void check_collective(const Options& options);

/// Throws InputError for options about axes that the step does not have.
void check_axes(const Options& options, const Parallelism& parallelism);

/// Throws InputError for an option of shared state where each rank holds and updates all of it, and for one of exchanges
/// beside kernels where none are.
void check_exchanges(const Options& options, const StepPlan& step);

/// Says of which options nothing comes on one accelerator, which may be one point of many; empty where there is none.
std::string idle_alone(const Options& options);

}  // namespace mlsim::sim
