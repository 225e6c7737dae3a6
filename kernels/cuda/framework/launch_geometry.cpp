#include "kernels/cuda/framework/launch_geometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/text/errors.hpp"

namespace mlsim::kernels::cuda {
namespace {

constexpr int kKeptVectors = 4;  // with 8 lanes of fp32 each: 32 registers an array
// A block of less than this has too few loads on their way.
constexpr int kBlockOfShortRows = 256;

constexpr std::int64_t kLargestVector = 1024;  // channels of a wide layer
constexpr std::int64_t kAlignment = 4;         // fp32 elements in a vector of 16 bytes

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

std::vector<std::int64_t> tensor_sizes(std::int64_t parameters, std::int64_t tensors) {
  if (tensors < 1 || parameters < tensors) {
    throw InputError(fmt::format("{} parameters cannot be in {} tensors", parameters, tensors));
  }
  const std::int64_t vectors = tensors / 2, matrices = tensors - vectors;
  const std::int64_t vector = std::min(kLargestVector, parameters / tensors);
  const std::int64_t rest = parameters - vectors * vector;
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < tensors; ++i) {
    sizes.push_back(i % 2 == 1 ? vector : rest / matrices + (i / 2 < rest % matrices ? 1 : 0));
  }
  return sizes;
}

ChunkTable chunk_table(const std::vector<std::int64_t>& sizes) {
  ChunkTable table;
  for (std::size_t tensor = 0; tensor < sizes.size(); ++tensor) {
    table.first_chunk.push_back(static_cast<std::int64_t>(table.chunks.size()));
    for (std::int64_t done = 0; done < sizes[tensor]; done += kChunkElements) {
      const std::int64_t count = std::min<std::int64_t>(kChunkElements, sizes[tensor] - done);
      table.chunks.push_back(
          {table.elements + done, static_cast<std::int32_t>(count), static_cast<std::int32_t>(tensor)});
    }
    table.elements += (sizes[tensor] + kAlignment - 1) / kAlignment * kAlignment;
  }
  table.first_chunk.push_back(static_cast<std::int64_t>(table.chunks.size()));
  return table;
}

}  // namespace mlsim::kernels::cuda
