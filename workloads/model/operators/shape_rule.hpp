// The operators' shape rules share these: texts of shapes, products that do not wrap, windows.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "workloads/model/layer_entry.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// A tensor of one sample has at most these elements: far above any published network. The logits of 131,072 tokens
/// over a vocabulary of 262,144 are 2^35.
constexpr std::int64_t kLargestTensor = std::int64_t{1} << 42;
constexpr std::int64_t kLongestSide = std::int64_t{1} << 30;
constexpr int kLargestWindow = 65536;

std::string shape_text(Shape shape);  // "64 x 56 x 56"

/// Returns the product of counts; 2^62 where it would be more, so that a check of size refuses what would wrap.
std::int64_t count_product(std::initializer_list<std::int64_t> counts);

/// Returns the channels of queries, keys and values side by side.
std::int64_t packed_channels(std::int64_t heads, std::int64_t kv_heads, std::int64_t head_size,
                             std::int64_t value_size);

/// Returns `extent` as an int; throws where it is absurdly large.
int checked_extent(const LayerEntry& entry, std::int64_t extent);

/// Reads `kernel`, `stride` and `padding`; the defaults of the latter depend on `pool`.
void read_window(const LayerEntry& entry, Layer& layer, bool pool);
/// Sets the output's height and width to the number of places of the window.
void slide_window(const LayerEntry& entry, Layer& layer);

/// Operators that leave the shape as it is use this rule.
void same_shape(const LayerEntry& entry, Layer& layer);

}  // namespace mlsim::workloads
