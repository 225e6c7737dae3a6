#include "tests/oracles/workloads/sampled_epochs.hpp"

#include <random>

#include "workloads/convergence/convergence.hpp"

namespace mlsim::test {

std::vector<double> sampled_epochs(const ConvergenceTable& table, const Recipe& recipe, double global_batch, int count,
                                   std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::vector<double> runs;
  for (int i = 0; i < count; ++i) {
    const double share = (static_cast<double>(bits() >> 11U) + 0.5) * 0x1p-53;
    runs.push_back(epochs_quantile(table, recipe, global_batch, share));
  }
  return runs;
}

}  // namespace mlsim::test
