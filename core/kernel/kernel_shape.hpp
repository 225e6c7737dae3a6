// Kernel shapes name the extents that each family of operators works on.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "core/kernel/update_rule.hpp"

namespace mlsim {

/// Images have batch x channels x height x width. Windows of kernel_h x kernel_w lie stride_h and stride_w apart on
/// images that are padded by (kernel - 1) / 2 on each side.
struct ConvolutionShape {
  std::int64_t batch = 0, channels = 0, height = 0, width = 0, outputs = 0;
  std::int64_t kernel_h = 0, stride_h = 0, kernel_w = kernel_h, stride_w = stride_h, groups = 1;
  std::int64_t merged = 0;  // elements that merged layers move beside the kernel
  auto operator<=>(const ConvolutionShape&) const = default;
};

/// A dense kernel multiplies `rows` vectors with a matrix of inputs x outputs, `products` times.
struct DenseShape {
  std::int64_t rows = 0, inputs = 0, outputs = 0, products = 1;
  std::int64_t merged = 0;
  auto operator<=>(const DenseShape&) const = default;
};

/// A product kernel multiplies m x k with k x n, `products` times.
struct ProductShape {
  std::int64_t m = 0, n = 0, k = 0, products = 1;
  std::int64_t merged = 0;
  auto operator<=>(const ProductShape&) const = default;
};

/// Attention runs on `heads` heads, those of all samples: queries and keys have `channels` each, and every key has a
/// vector of `values`. Where `causal` is 1 and not 0, no query sees the keys behind it, and where `window` is not 0
/// none but the last so many before it. kv_heads, those of keys and values, serve equally many of the heads each.
struct AttentionShape {
  std::int64_t heads = 0, queries = 0, keys = 0, channels = 0, values = channels, causal = 0;
  std::int64_t kv_heads = heads, window = 0, merged = 0;
  auto operator<=>(const AttentionShape&) const = default;
};

/// An LstmShape is the recurrent half of one direction of an LSTM, cell included.
struct LstmShape {
  std::int64_t batch = 0, hidden = 0, steps = 0;
  auto operator<=>(const LstmShape&) const = default;
};

/// Rows of `width` elements are read from a table or added to it. Where table_rows is 0 the rows alone are the result.
struct LookUpShape {
  std::int64_t rows = 0, width = 0, table_rows = 0;
  auto operator<=>(const LookUpShape&) const = default;
};

/// Regions are cut from maps that have `positions` and `channels`; `bins` counts those of all regions of a sample.
struct RegionShape {
  std::int64_t batch = 0, bins = 0, channels = 0, positions = 0;
  auto operator<=>(const RegionShape&) const = default;
};

/// Normalisations work on rows; there are batch x positions of them.
struct RowsShape {
  std::int64_t rows = 0, channels = 0;
  std::int64_t merged = 0;
  auto operator<=>(const RowsShape&) const = default;
};

/// A pool is a ConvolutionShape of one channel at a time. A window that covers the whole map is not padded.
struct PoolShape {
  std::int64_t batch = 0, channels = 0, height = 0, width = 0;
  std::int64_t kernel_h = 0, stride_h = 0, kernel_w = kernel_h, stride_w = stride_h;
  std::int64_t merged = 0;
  auto operator<=>(const PoolShape&) const = default;
};

/// A loss reads `rows` x `classes` logits.
struct LossShape {
  std::int64_t rows = 0, classes = 1;
  auto operator<=>(const LossShape&) const = default;
};

/// Elementwise work reads and writes elements with `launches` kernels, whatever they do.
struct ElementwiseShape {
  std::int64_t read = 0, written = 0, launches = 1;
  auto operator<=>(const ElementwiseShape&) const = default;
};

/// An optimizer updates `parameters` in `tensors` tensors and moves bytes_per_parameter for each parameter.
struct OptimizerShape {
  std::int64_t parameters = 0, tensors = 0, bytes_per_parameter = 0, launches = 1;
  UpdateRule rule = UpdateRule::other;
  auto operator<=>(const OptimizerShape&) const = default;
};

using KernelShape = std::variant<ConvolutionShape, DenseShape, ProductShape, AttentionShape, LstmShape, LookUpShape,
                                 RegionShape, RowsShape, PoolShape, LossShape, ElementwiseShape, OptimizerShape>;

/// Returns the numbers of a shape as texts have them: in the order above (a pool's and a convolution's kernel height
/// and stride height before the widths), 0 for one at its usual value, without zeros at the end. Usual are: a window's
/// width as its height, values as wide as keys, 1 group, product, class and launch, nothing merged, no table.
std::vector<std::int64_t> numbers(const KernelShape& shape);

/// Makes a shape of the kind of `family` from its numbers. Throws InputError where one that has no usual value is
/// missing, where there are too many, and where one is negative.
KernelShape with_numbers(KernelShape family, std::span<const std::int64_t> numbers);

/// Returns the name of the first number without a usual value that is below 1.
std::optional<std::string_view> missing_extent(const KernelShape& shape);

/// Merged layers move elements beside a kernel: these are their field, null where nothing merges, and their number.
std::int64_t* merged_field(KernelShape& shape);
std::int64_t merged_elements(const KernelShape& shape);

}  // namespace mlsim
