#include "kernels/cuda/framework/launch_geometry.hpp"

#include <algorithm>
#include <bit>

namespace mlsim::kernels::cuda {
namespace {

constexpr int kKeptVectors = 4;  // with 8 lanes of fp32 each: 32 registers an array
// A block of less than this has too few loads on their way.
constexpr int kBlockOfShortRows = 256;

}  // namespace

RowGeometry row_shape(std::int64_t elements, int width) {
  const std::int64_t vectors = std::max<std::int64_t>(1, (elements + width - 1) / width);
  RowGeometry shape;
  if (vectors <= kWarp) {
    shape.threads_per_row = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(vectors)));
    shape.rows_per_block = kBlockOfShortRows / shape.threads_per_row;
    return shape;
  }
  const std::int64_t each = vectors <= kRowThreads ? 1 : kKeptVectors;
  const std::int64_t threads = (vectors + each - 1) / each;
  shape.vectors = threads <= kRowThreads ? static_cast<int>(each) : 0;
  shape.threads_per_row = static_cast<int>(std::min<std::int64_t>(kRowThreads, (threads + kWarp - 1) / kWarp * kWarp));
  return shape;
}

int grid_blocks(std::int64_t wanted, int resident) {
  return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, std::max(1, resident)));
}

int vector_width(int width, std::int64_t row_elements) { return row_elements % width == 0 ? width : 1; }

BatchSplit batch_split(std::int64_t rows) {
  std::int64_t images = 1;
  while (images < 256 && rows % (images * 2) == 0) images *= 2;
  return {images, rows / images};
}

}  // namespace mlsim::kernels::cuda
