#include "kernels/cuda/framework/chunk_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/errors.hpp"

namespace mlsim::kernels::cuda {
namespace {

constexpr std::int64_t kLargestVector = 1024;  // channels of a wide layer
constexpr std::int64_t kAlignment = 4;         // fp32 elements in a vector of 16 bytes

}  // namespace

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
