// A `ChunkTable` lists the pieces into which an update of many tensors is cut, so that one launch serves all (NVIDIA
// apex, multi_tensor_apply).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cuda/framework/operation.hpp"

namespace mlsim::kernels::cuda {

inline constexpr int kChunkThreads = 256;
/// A block keeps a chunk in registers: 4 vectors of 4 fp32 a thread.
inline constexpr int kChunkElements = kChunkThreads * 4 * 4;

/// Sizes `tensors` tensors of `parameters` elements in all, as networks have them: every second one is a vector (a
/// bias, a scale) of at most 1024 elements, the others share the rest. Throws InputError where a tensor would be empty.
std::vector<std::int64_t> tensor_sizes(std::int64_t parameters, std::int64_t tensors);

struct ChunkTable {
  std::vector<Chunk> chunks;
  std::vector<std::int64_t> first_chunk;  // each tensor's; and one more, the count of chunks
  std::int64_t elements = 0;  // the length of the array that holds all tensors, each begun at a multiple of 4
};
ChunkTable chunk_table(const std::vector<std::int64_t>& sizes);

}  // namespace mlsim::kernels::cuda
