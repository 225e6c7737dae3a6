// A `CudaExecutor` launches operators on the GPU.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

#include "kernels/cuda/framework/device.hpp"
#include "kernels/cuda/framework/flat_thread.hpp"
#include "kernels/cuda/framework/lanes.hpp"
#include "kernels/cuda/framework/launch_geometry.hpp"
#include "kernels/cuda/framework/row_thread.hpp"

namespace mlsim::kernels::cuda {

namespace detail {

// Fetches a value of another lane of the group of `lanes` threads, word by word.
template <class Value>
__device__ Value from_lane(const Value& value, int distance, int lanes) {
  if constexpr (std::is_empty_v<Value>) {
    return value;
  } else {
    static_assert(sizeof(Value) % sizeof(int) == 0, "sums are made of whole words");
    constexpr int kWords = sizeof(Value) / sizeof(int);
    int words[kWords];
    memcpy(words, &value, sizeof(Value));
    MLSIM_UNROLL
    for (int i = 0; i < kWords; ++i) words[i] = __shfl_xor_sync(0xffffffffu, words[i], distance, lanes);
    Value other;
    memcpy(&other, words, sizeof(Value));
    return other;
  }
}

// Leaves the sum of a row in every one of its threads. All threads of the block take part.
template <class Total>
__device__ Total row_total(Total sum, int lanes) {
  const int width = lanes < kWarp ? lanes : kWarp;
  for (int distance = width / 2; distance > 0; distance /= 2) sum.merge(from_lane(sum, distance, width));
  if (lanes <= kWarp) return sum;
  // The storage is bytes, for a shared variable may not have a constructor.
  __shared__ alignas(8) unsigned char storage[kRowThreads / kWarp * sizeof(Total)];
  Total* const of_warp = reinterpret_cast<Total*>(storage);
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = sum;
  __syncthreads();
  Total all = of_warp[0];
  for (int i = 1; i < lanes / kWarp; ++i) all.merge(of_warp[i]);
  __syncthreads();
  return all;
}

template <int W, class Op>
__global__ void __launch_bounds__(kFlatThreads) flat_kernel(Op op, std::int64_t elements) {
  flat_thread<W>(op, elements, blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x,
                 std::int64_t{gridDim.x} * blockDim.x);
}

// Threads of a group beyond the last row take part in the sum, with none of their own.
template <int W, int kVectors, class Op>
__global__ void __launch_bounds__(kRowThreads) row_kernel(Op op, std::int64_t rows, std::int64_t columns, int lanes) {
  const int groups = static_cast<int>(blockDim.x) / lanes, group = static_cast<int>(threadIdx.x) / lanes;
  RowThread<Op, W, kVectors> thread(static_cast<int>(threadIdx.x) % lanes, lanes);
  const std::int64_t stride = std::int64_t{gridDim.x} * groups;
  for (std::int64_t first = std::int64_t{blockIdx.x} * groups; first < rows; first += stride) {
    const std::int64_t row = first + group;
    typename Op::Total sum{};
    if (row < rows) sum = thread.start(op, row);
    if constexpr (Op::kReduces) sum = row_total(sum, lanes);
    if (row < rows) thread.finish(op, row, sum);
  }
  thread.flush(op, columns);
}

// Counts the blocks of this kernel that the whole device holds at once.
template <class Kernel>
int resident_blocks(Kernel kernel, int threads) {
  int each = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, 0), "asking for a kernel's occupancy");
  return std::max(1, each) * Device::get().multiprocessors();
}

}  // namespace detail

/// The executor is the one that operation.hpp describes. It queues everything on one stream.
class CudaExecutor {
 public:
  explicit CudaExecutor(cudaStream_t stream) : stream_(stream) {}

  template <class T, class Op>
  void flat(std::int64_t elements, std::int64_t row_elements, const Op& op) {
    if (elements == 0) return;
    if (vector_width(kVectorWidth<T>, row_elements) > 1) {
      launch_flat<kVectorWidth<T>>(elements, op);
    } else {
      launch_flat<1>(elements, op);
    }
  }

  template <class T, class Op>
  void rows(std::int64_t count, std::int64_t elements, const Op& op) {
    if (vector_width(kVectorWidth<T>, elements) > 1) {
      launch_by_shape<kVectorWidth<T>>(count, elements, op);
    } else {
      launch_by_shape<1>(count, elements, op);
    }
  }

  template <class Op>
  void chunks(std::int64_t count, const Op& op) {
    launch_rows<kVectorWidth<float>, 4>({kChunkThreads, 1, 4}, count, 0, op);
  }

  void zero(void* pointer, std::size_t bytes) { check(cudaMemsetAsync(pointer, 0, bytes, stream_), "clearing memory"); }

 private:
  template <int W, class Op>
  void launch_flat(std::int64_t elements, const Op& op) {
    static const int resident = detail::resident_blocks(detail::flat_kernel<W, Op>, kFlatThreads);
    const std::int64_t per_block = std::int64_t{kFlatThreads} * W;
    const int blocks = grid_blocks((elements + per_block - 1) / per_block, resident);
    detail::flat_kernel<W><<<blocks, kFlatThreads, 0, stream_>>>(op, elements);
    check(cudaGetLastError(), "starting a kernel");
  }

  template <int W, class Op>
  void launch_by_shape(std::int64_t count, std::int64_t elements, const Op& op) {
    const RowGeometry shape = row_shape(elements, W);
    switch (shape.vectors) {
      case 0: return launch_rows<W, 0>(shape, count, elements, op);
      case 1: return launch_rows<W, 1>(shape, count, elements, op);
      default: return launch_rows<W, 4>(shape, count, elements, op);
    }
  }

  template <int W, int kVectors, class Op>
  void launch_rows(const RowGeometry& shape, std::int64_t count, std::int64_t elements, const Op& op) {
    if (count == 0) return;
    const int resident = detail::resident_blocks(detail::row_kernel<W, kVectors, Op>, shape.threads());
    const int blocks = grid_blocks((count + shape.rows_per_block - 1) / shape.rows_per_block, resident);
    detail::row_kernel<W, kVectors>
        <<<blocks, shape.threads(), 0, stream_>>>(op, count, elements, shape.threads_per_row);
    check(cudaGetLastError(), "starting a kernel");
  }

  cudaStream_t stream_;
};

}  // namespace mlsim::kernels::cuda
