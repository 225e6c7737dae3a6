// These flat operators work on rows of a table that an index chooses.
#pragma once

#include "kernels/cuda/framework/atomic_sum.hpp"

namespace mlsim::kernels::cuda {

/// Sets out[i] = table[index[i]], plus position[i % positions] where given: a token's embedding with its place's.
template <class T>
struct Gather {
  T* out;
  const T *table, *position;
  const std::int32_t* index;
  std::uint32_t columns, positions;

  template <int W>
  MLSIM_HD void apply(std::int64_t first) const {
    const std::uint32_t row = static_cast<std::uint32_t>(first) / columns;
    const std::uint32_t column = static_cast<std::uint32_t>(first) % columns;
    Lanes<W> v = read<W>(table, std::int64_t{index[row]} * columns + column);
    if (position != nullptr) {
      const Lanes<W> p = read<W>(position, std::int64_t{row % positions} * columns + column);
      MLSIM_UNROLL
      for (int i = 0; i < W; ++i) v[i] += p[i];
    }
    write<W>(out, first, v);
  }
};

/// Adds table[index[i]] += factor * rows[i].
template <class T>
struct ScatterAdd {
  T* table;
  const T* rows;
  const std::int32_t* index;
  std::uint32_t columns;
  float factor;

  template <int W>
  MLSIM_HD void apply(std::int64_t first) const {
    const std::uint32_t row = static_cast<std::uint32_t>(first) / columns;
    const std::uint32_t column = static_cast<std::uint32_t>(first) % columns;
    Lanes<W> v = read<W>(rows, first);
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) v[i] *= factor;
    add_to<W>(table, std::int64_t{index[row]} * columns + column, v);
  }
};

}  // namespace mlsim::kernels::cuda
