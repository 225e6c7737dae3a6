// Runs operations on the host thread by thread, as a launch on the device would.
#pragma once

#include <cstring>
#include <vector>

#include "kernels/cuda/framework/flat_thread.hpp"
#include "kernels/cuda/framework/lanes.hpp"
#include "kernels/cuda/framework/launch_geometry.hpp"
#include "kernels/cuda/framework/operation.hpp"
#include "kernels/cuda/framework/row_thread.hpp"

namespace mlsim::kernels::cuda {

class HostExecutor {
 public:
  int launches = 0;

  template <class T, class Op>
  void flat(std::int64_t elements, std::int64_t row_elements, const Op& op) {
    ++launches;
    constexpr std::int64_t kThreads = 3 * kFlatThreads;  // fewer than the elements, so that threads go round
    for (std::int64_t t = 0; t < kThreads; ++t) {
      if (vector_width(kVectorWidth<T>, row_elements) > 1) {
        flat_thread<kVectorWidth<T>>(op, elements, t, kThreads);
      } else {
        flat_thread<1>(op, elements, t, kThreads);
      }
    }
  }

  template <class T, class Op>
  void rows(std::int64_t count, std::int64_t elements, const Op& op) {
    if (vector_width(kVectorWidth<T>, elements) > 1) {
      by_shape<kVectorWidth<T>>(count, elements, op);
    } else {
      by_shape<1>(count, elements, op);
    }
  }

  template <class Op>
  void chunks(std::int64_t count, const Op& op) {
    run_rows<4, 4>(kChunkThreads, 1, count, 0, op);
  }

  void zero(void* pointer, std::size_t bytes) { std::memset(pointer, 0, bytes); }

 private:
  template <int W, class Op>
  void by_shape(std::int64_t count, std::int64_t elements, const Op& op) {
    const RowGeometry shape = row_shape(elements, W);
    switch (shape.vectors) {
      case 0: return run_rows<W, 0>(shape.threads_per_row, shape.rows_per_block, count, elements, op);
      case 1: return run_rows<W, 1>(shape.threads_per_row, shape.rows_per_block, count, elements, op);
      default: return run_rows<W, 4>(shape.threads_per_row, shape.rows_per_block, count, elements, op);
    }
  }

  // Two blocks take the rows in turn.
  template <int W, int kVectors, class Op>
  void run_rows(int lanes, int groups, std::int64_t count, std::int64_t columns, const Op& op) {
    ++launches;
    const std::int64_t all = 2 * groups;
    for (std::int64_t group = 0; group < all; ++group) {
      std::vector<RowThread<Op, W, kVectors>> threads;
      for (int lane = 0; lane < lanes; ++lane) threads.emplace_back(lane, lanes);
      for (std::int64_t row = group; row < count; row += all) {
        typename Op::Total sum{};
        for (auto& thread : threads) sum.merge(thread.start(op, row));
        for (auto& thread : threads) thread.finish(op, row, sum);
      }
      for (auto& thread : threads) thread.flush(op, columns);
    }
  }
};

/// An operation's arrays in host memory.
class HostArrays {
 public:
  explicit HostArrays(const std::vector<Array>& arrays);
  Pointers pointers();
  std::vector<double> values(int number) const;

 private:
  std::vector<Array> arrays_;
  std::vector<std::vector<std::uint8_t>> bytes_;
};

/// Runs the operation on random numbers and compares each result with the reference: the largest error.
double host_error(const OperationName& name);
/// How many launches it takes.
int host_launches(const OperationName& name);
Bytes host_bytes(const OperationName& name);

}  // namespace mlsim::kernels::cuda
