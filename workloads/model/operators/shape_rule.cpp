#include "workloads/model/operators/shape_rule.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mlsim::workloads {
namespace {

constexpr std::int64_t kSaturated = std::int64_t{1} << 62;

void check_window(const LayerEntry& entry, int kernel, int stride, int padding) {
  if (std::max({kernel, stride, padding}) > kLargestWindow) {
    throw entry.error(fmt::format("a window of more than {} is absurdly large", kLargestWindow));
  }
  if (padding >= kernel) {
    throw entry.error(fmt::format("a padding of {} does not suit a kernel of {}", padding, kernel));
  }
}

int extent_after(const LayerEntry& entry, int extent, int kernel, int stride, int padding, const char* side) {
  const std::int64_t padded = extent + std::int64_t{2} * padding;
  if (kernel > padded) {
    throw entry.error(fmt::format("the kernel of {} is larger than its input: {} against a {} of {} with padding {}",
                                  entry.name(), kernel, side, extent, padding));
  }
  return checked_extent(entry, (padded - kernel) / stride + 1);
}

}  // namespace

std::string shape_text(Shape shape) { return fmt::format("{} x {} x {}", shape.channels, shape.height, shape.width); }

std::int64_t count_product(std::initializer_list<std::int64_t> counts) {
  std::int64_t product = 1;
  for (const auto count : counts) {
    if (__builtin_mul_overflow(product, count, &product)) return kSaturated;
  }
  return std::min(product, kSaturated);
}

int checked_extent(const LayerEntry& entry, std::int64_t extent) {
  if (extent > kLongestSide) {
    throw entry.error(fmt::format("{} is absurdly large: {} along one side", entry.name(), extent));
  }
  return static_cast<int>(extent);
}

void read_window(const LayerEntry& entry, Layer& layer, bool pool) {
  layer.kernel = entry.extent("kernel");
  layer.stride = entry.extent("stride", pool ? layer.kernel : Extent{1, 1});
  const Extent centred{(layer.kernel.height - 1) / 2, (layer.kernel.width - 1) / 2};
  layer.padding = entry.extent("padding", pool ? Extent{0, 0} : centred, 0);
  check_window(entry, layer.kernel.height, layer.stride.height, layer.padding.height);
  check_window(entry, layer.kernel.width, layer.stride.width, layer.padding.width);
}

void slide_window(const LayerEntry& entry, Layer& layer) {
  const Extent kernel = layer.kernel, stride = layer.stride, padding = layer.padding;
  layer.output.height = extent_after(entry, layer.input.height, kernel.height, stride.height, padding.height, "height");
  layer.output.width = extent_after(entry, layer.input.width, kernel.width, stride.width, padding.width, "width");
}

void same_shape(const LayerEntry&, Layer& layer) { layer.output = layer.input; }

}  // namespace mlsim::workloads
