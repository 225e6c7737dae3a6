// These rules say which options go together, and which change nothing of an answer.
#pragma once

#include "sim/namespace.hpp"
#include "sim/options/options.hpp"
#include "workloads/lowering/parallelism.hpp"

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

}  // namespace mlsim::sim
