// A launch covers its elements like this: vectors and tails of flat arrays, groups of threads for rows.
#pragma once

#include <cstdint>

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

}  // namespace mlsim::kernels::cuda
