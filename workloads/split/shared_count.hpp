// A SharedCount is a count that the ranks of an axis share equally: heads, outputs, tokens, experts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "workloads/lowering/parallelism.hpp"

namespace mlsim::workloads {

struct SharedCount {
  std::string layer, what;  // "decoder.block0.attention", "heads"
  std::int64_t count = 0;
};

/// Throws InputError where `ranks` is below 1.
void check_axis(Axis axis, int ranks);

/// Throws Infeasible for the first count that `ranks` does not divide, with the nearest number of ranks, of equally
/// near ones the larger, that divides all of them and that `works`.
void check_shared(
    Axis axis, int ranks, const std::vector<SharedCount>& counts,
    const std::function<bool(int)>& works = [](int) { return true; });

}  // namespace mlsim::workloads
