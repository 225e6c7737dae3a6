// A launch covers its elements like this: vectors and tails of flat arrays, groups of threads for rows.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cuda/framework/operation.hpp"

namespace mlsim::kernels::cuda {

inline constexpr int kFlatThreads = 256;  // a block; occupancy decides how many blocks
inline constexpr int kRowThreads = 512;   // the largest block that shares one row: 128 registers a thread remain
inline constexpr int kWarp = 32;

/// A `RowGeometry` says how many threads share a row and how many vectors each of them keeps in registers.
struct RowGeometry {
  int threads_per_row = kWarp;  // a power of two up to 32 (several rows in a warp), or a multiple of 32 (a block a row)
  int rows_per_block = 1;
  int vectors = 1;  // a thread: 1 or 4 kept in registers; 0: the row is read again
  int threads() const { return threads_per_row * rows_per_block; }
};

/// Returns the geometry for rows of at most `elements` elements, read `width` at once.
RowGeometry row_shape(std::int64_t elements, int width);

/// Returns blocks that keep the device busy and are not more than the work: `wanted`, at most `resident`, at least 1.
int grid_blocks(std::int64_t wanted, int resident);

/// One load may take `width` elements where every row begins at a multiple of it, else 1. 0 elements: no rows.
int vector_width(int width, std::int64_t row_elements);

/// The library wants the rows of a batch normalisation as images x positions. It limits the images, so these are the
/// largest power of two up to 256 that divides the rows.
struct BatchSplit {
  std::int64_t images, positions;
};
BatchSplit batch_split(std::int64_t rows);

inline constexpr int kChunkThreads = 256;
/// A block keeps a chunk in registers: 4 vectors of 4 fp32 a thread.
inline constexpr int kChunkElements = kChunkThreads * 4 * 4;

/// Sizes `tensors` tensors of `parameters` elements in all, as networks have them: every second one is a vector (a
/// bias, a scale) of at most 1024 elements, the others share the rest. Throws InputError where a tensor would be empty.
std::vector<std::int64_t> tensor_sizes(std::int64_t parameters, std::int64_t tensors);

/// A `ChunkTable` lists the pieces into which an update of many tensors is cut, so that one launch serves all (NVIDIA
/// apex, multi_tensor_apply).
struct ChunkTable {
  std::vector<Chunk> chunks;
  std::vector<std::int64_t> first_chunk;  // each tensor's; and one more, the count of chunks
  std::int64_t elements = 0;  // the length of the array that holds all tensors, each begun at a multiple of 4
};
ChunkTable chunk_table(const std::vector<std::int64_t>& sizes);

}  // namespace mlsim::kernels::cuda
