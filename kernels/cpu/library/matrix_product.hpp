// A `MatrixProduct` is computed by OpenBLAS.
#pragma once

#include <cstdint>
#include <string>

namespace mlsim::kernels {

/// C (m x n) = A (m x k) B (k x n), row-major; `equal` of them one after the other in memory. A transposed operand lies
/// as its transpose: A as k x m, B as n x k.
struct MatrixProduct {
  std::int64_t m = 1, n = 1, k = 1, equal = 1;
  bool transpose_a = false, transpose_b = false;
  int threads = 1;
};

/// A product with a vector is taken as such. Threads share out the products, or of fewer the longer side of each.
void multiply(const MatrixProduct& product, const float* a, const float* b, float* c);

/// "0.3.21".
std::string blas_version();

}  // namespace mlsim::kernels
