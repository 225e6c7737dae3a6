// Epochs of runs that are drawn: what the quantiles are held against.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/namespace.hpp"
#include "workloads/convergence/convergence.hpp"

namespace mlsim::test {

/// Epochs of `count` runs. Equal seeds give equal answers on every platform: std::mt19937_64, 53 bits a draw.
std::vector<double> sampled_epochs(const ConvergenceTable& table, const Recipe& recipe, double global_batch, int count,
                                   std::uint64_t seed);

}  // namespace mlsim::test
