// These operations work on embedding tables; their flat operators on rows of a table that an index chooses.
#pragma once

#include <algorithm>
#include <optional>

#include "kernels/cuda/framework/atomic_sum.hpp"
#include "kernels/cuda/framework/operation.hpp"
#include "kernels/cuda/operations/pointwise.hpp"

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
template <class T, class Sum>
struct ScatterAdd {
  Sum* table;
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

/// gather reads rows of the table alone. embedding_gather adds a position's embedding, unfused in a second kernel. The
/// sizes are rows read, elements of a row, rows of the table.
template <class Executor, class T>
Operation<Executor> gather(const OperationName& name) {
  constexpr std::int64_t kPositions = 512;  // BERT's
  const std::int64_t rows = name.sizes[0], columns = name.sizes[1], n = indexable(rows * columns);
  const std::int64_t table_rows = std::max<std::int64_t>(1, name.sizes[2]);
  const bool adds = name.kind == "embedding_gather", fused = name.fused;
  Operation<Executor> op;
  const int table = add(op, input<T>(indexable(table_rows * columns)));
  const int index = add(op, whole_numbers(Format::index, rows, table_rows)), out = add(op, result<T>(n));
  const int position = adds ? add(op, input<T>(kPositions * columns)) : -1;
  op.run = [=](Executor& executor, const Pointers& p) {
    const auto width = static_cast<std::uint32_t>(columns);
    const T* const place = adds ? p.get<T>(position) : nullptr;
    const Gather<T> one{p.get<T>(out), p.get<T>(table), fused ? place : nullptr, p.get<std::int32_t>(index),
                        width,         kPositions};
    executor.template flat<T>(n, columns, one);
    if (!adds || fused) return;
    using Kind = typename Primitive<T>::Kind;
    T* const y = p.get<T>(out);
    const auto places = static_cast<std::uint32_t>(kPositions * columns);
    executor.template flat<T>(n, columns, Primitive<T>{Kind::sum, y, y, place, nullptr, 1, 1, 0, places});
  };
  op.reference = [=](Values& v) {
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto from = static_cast<std::int64_t>(of(v, index)[at(0, 0, row)]);
      for (std::int64_t i = 0; i < columns; ++i) {
        double sum = of(v, table)[at(from, columns, i)];
        if (adds) sum += of(v, position)[at(row % kPositions, columns, i)];
        of(v, out)[at(row, columns, i)] = sum;
      }
    }
  };
  const double passes = adds && !fused ? 4 : 2;
  op.bytes = Bytes(double(sizeof(T)) * passes * double(n) + 4.0 * double(rows));
  return op;
}

/// The arrays of rows added to a table: the rows, where they go, and the table.
struct RowsAdded {
  int added, index, table;
};

inline void add_rows(Values& v, const RowsAdded& arrays, std::int64_t rows, std::int64_t columns, double factor) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto to = static_cast<std::int64_t>(of(v, arrays.index)[at(0, 0, row)]);
    for (std::int64_t i = 0; i < columns; ++i)
      of(v, arrays.table)[at(to, columns, i)] += of(v, arrays.added)[at(row, columns, i)] * factor;
  }
}

/// scatter_add adds rows into a cleared table of fp32, as a few rows of 16 bits lose a thousand additions to rounding;
/// with no rows of a table given, into as many as are added.
template <class Executor, class T>
Operation<Executor> scatter_add(const OperationName& name) {
  const std::int64_t rows = name.sizes[0], columns = name.sizes[1], n = indexable(rows * columns);
  const std::int64_t table_rows = name.sizes[2] > 0 ? name.sizes[2] : rows;
  const std::int64_t whole = indexable(table_rows * columns);
  Operation<Executor> op;
  const int added = add(op, input<T>(n)), index = add(op, whole_numbers(Format::index, rows, table_rows));
  const int table = add(op, result<float>(whole));
  op.run = [=](Executor& executor, const Pointers& p) {
    float* const sum = p.get<float>(table);
    executor.zero(sum, static_cast<std::size_t>(whole) * sizeof(float));
    const auto width = static_cast<std::uint32_t>(columns);
    executor.template flat<T>(n, columns,
                              ScatterAdd<T, float>{sum, p.get<T>(added), p.get<std::int32_t>(index), width, 1});
  };
  op.reference = [=](Values& v) {
    std::fill(of(v, table).begin(), of(v, table).end(), 0.0);
    add_rows(v, {added, index, table}, rows, columns, 1);
  };
  op.bytes = Bytes(double(sizeof(T)) * double(n) + 4.0 * (2 * double(n) + double(whole) + double(rows)));
  return op;
}

/// embedding_update is a step of gradient descent on the rows; unfused the dense gradient is cleared, added to and
/// applied.
template <class Executor, class T>
Operation<Executor> embedding_update(const OperationName& name) {
  constexpr float kRate = 0.01f;
  const std::int64_t rows = name.sizes[0], columns = name.sizes[1], n = indexable(rows * columns);
  const std::int64_t table_rows = name.sizes[2] > 0 ? name.sizes[2] : rows;
  const std::int64_t whole = indexable(table_rows * columns);
  const bool fused = name.fused;
  Operation<Executor> op;
  const int added = add(op, input<T>(n)), index = add(op, whole_numbers(Format::index, rows, table_rows));
  const int table = add(op, result<T>(whole)), dense = fused ? -1 : add(op, input<T>(whole));
  op.run = [=](Executor& executor, const Pointers& p) {
    T *const weights = p.get<T>(table), *const sum = fused ? weights : p.get<T>(dense);
    if (!fused) executor.zero(sum, static_cast<std::size_t>(whole) * sizeof(T));
    const auto width = static_cast<std::uint32_t>(columns);
    executor.template flat<T>(
        n, columns, ScatterAdd<T, T>{sum, p.get<T>(added), p.get<std::int32_t>(index), width, fused ? -kRate : 1});
    using Kind = typename Primitive<T>::Kind;
    if (fused) return;
    executor.template flat<T>(whole, whole, Primitive<T>{Kind::sum, weights, weights, sum, nullptr, 1, -kRate});
  };
  op.reference = [=](Values& v) { add_rows(v, {added, index, table}, rows, columns, -double(kRate)); };
  const double tables = fused ? 0 : 4;
  op.bytes = Bytes(double(sizeof(T)) * (3.0 * double(n) + tables * double(whole)) + 4.0 * double(rows));
  return op;
}

template <class Executor>
std::optional<Operation<Executor>> look_up_operation(const OperationName& name) {
  return with_element(name.precision, [&](auto element) -> std::optional<Operation<Executor>> {
    using T = typename decltype(element)::type;
    if (name.kind == "gather" || name.kind == "embedding_gather") return gather<Executor, T>(name);
    if (name.kind == "scatter_add") return scatter_add<Executor, T>(name);
    if (name.kind == "embedding_update") return embedding_update<Executor, T>(name);
    return std::nullopt;
  });
}

}  // namespace mlsim::kernels::cuda
