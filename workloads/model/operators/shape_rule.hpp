// What the operators' shape rules share: texts of shapes, products that do not wrap, windows.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "workloads/model/layer_entry.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// Elements of a tensor of one sample: far above any published network.
constexpr std::int64_t kLargestTensor = std::int64_t{1} << 30;
constexpr int kLargestWindow = 65536;

std::string shape_text(Shape shape);  // "64 x 56 x 56"

/// The product of counts; 2^62 where it would be more, so that a check of size refuses what would wrap.
std::int64_t count_product(std::initializer_list<std::int64_t> counts);

/// `extent` as an int; throws where it is absurdly large.
int checked_extent(const LayerEntry& entry, std::int64_t extent);

/// Reads `kernel`, `stride` and `padding`; what the latter are by default, depends on `pool`.
void read_window(const LayerEntry& entry, Layer& layer, bool pool);
/// Sets the output's height and width to the number of places of the window.
void slide_window(const LayerEntry& entry, Layer& layer);

/// For operators that leave the shape as it is.
void same_shape(const LayerEntry& entry, Layer& layer);

}  // namespace mlsim::workloads
