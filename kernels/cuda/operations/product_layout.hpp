// A `ProductLayout` is a matrix product as it lies in memory, with a reference for single elements.
#pragma once

#include <functional>

#include "core/kernel/kernel_key.hpp"
#include "kernels/cuda/framework/operation.hpp"

namespace mlsim::kernels::cuda {

/// The epilogue follows the product in the same kernel; the bias has a value a column.
enum class Epilogue { none, bias_relu, bias_gelu };

/// The layout is of `count` products D = A B, row by row in memory one behind the other: A is m x k, stored k x m where
/// a_transposed; B is k x n, stored n x k where b_transposed; D is m x n.
struct ProductLayout {
  std::int64_t m = 1, n = 1, k = 1, count = 1;
  bool a_transposed = false, b_transposed = false;
  Precision precision = Precision::fp32;
  Epilogue epilogue = Epilogue::none;
  bool operator==(const ProductLayout&) const = default;

  Flop flop() const;
  /// Counts what the library reads and writes in its formats: fp8 operands have a bf16 result.
  Bytes bytes() const;
  std::int64_t a_index(std::int64_t product, std::int64_t row, std::int64_t depth) const;
  std::int64_t b_index(std::int64_t product, std::int64_t depth, std::int64_t column) const;
};

Format operand_format(Precision precision);

/// Returns the layout of a dense_* or matmul key. Weights lie as outputs x inputs. fp8 products take both operands
/// along k, as tensor cores want them (cuBLAS, FP8 restrictions). Throws std::bad_variant_access for other keys.
ProductLayout product_of(const KernelKey& key);

/// Computes one element of A x B by the inputs' values, with the epilogue.
double product_element(const ProductLayout& shape, std::int64_t product, std::int64_t row, std::int64_t column,
                       const Array& a, int a_number, const Array& b, int b_number, double bias);

/// Says how many elements to compare where each is a sum of `depth` products: as many as take about 0.2 s on one core.
std::int64_t checked_count(double depth);

/// Returns `count` indices below `end`, spread evenly with the first and the last.
std::vector<std::int64_t> spread_indices(std::int64_t end, std::int64_t count);

}  // namespace mlsim::kernels::cuda
