#include "kernels/cpu/library/matrix_product.hpp"

#include <cblas.h>

#include <sstream>

#include "kernels/cpu/framework/team.hpp"

namespace mlsim::kernels {
namespace {

CBLAS_TRANSPOSE transposed(bool is) { return is ? CblasTrans : CblasNoTrans; }

blasint extent(std::int64_t value) { return static_cast<blasint>(value); }

// Rows `rows` and columns `columns` of one C, on this thread alone.
void multiply_part(const MatrixProduct& p, Range rows, Range columns, const float* a, const float* b, float* c) {
  const blasint m = extent(rows.size()), n = extent(columns.size()), k = extent(p.k);
  const blasint row_a = extent(p.transpose_a ? p.m : p.k), row_b = extent(p.transpose_b ? p.k : p.n);
  a += rows.begin * (p.transpose_a ? 1 : p.k);
  b += columns.begin * (p.transpose_b ? p.k : 1);
  c += rows.begin * p.n + columns.begin;
  if (p.n == 1) {  // C = A b
    const bool t = p.transpose_a;
    cblas_sgemv(CblasRowMajor, transposed(t), t ? k : m, t ? m : k, 1, a, row_a, b, 1, 0, c, 1);
  } else if (p.m == 1) {  // C' = B' a
    const bool t = p.transpose_b;
    cblas_sgemv(CblasRowMajor, transposed(!t), t ? n : k, t ? k : n, 1, b, row_b, a, 1, 0, c, 1);
  } else {
    cblas_sgemm(CblasRowMajor, transposed(p.transpose_a), transposed(p.transpose_b), m, n, k, 1, a, row_a, b, row_b, 0,
                c, extent(p.n));
  }
}

// The team shares out the longer side of C, in whole tiles of the kernels that OpenBLAS has for AVX-512.
void multiply_shared(const MatrixProduct& p, const float* a, const float* b, float* c) {
  constexpr std::int64_t kTile = 16;
  // Smaller products are not worth a team, which is OpenBLAS' own rule (interface/gemm.c, SMP_THRESHOLD_MIN *
  // GEMM_MULTITHREAD_THRESHOLD); products with a vector, which wait for memory, are from a sixteenth on.
  constexpr std::int64_t kAlone = std::int64_t{65536} * 4, kAloneVector = kAlone / 16;
  const bool vector = p.m == 1 || p.n == 1;
  if (p.m * p.n * p.k <= (vector ? kAloneVector : kAlone)) return multiply_part(p, {0, p.m}, {0, p.n}, a, b, c);
  const bool by_rows = p.m >= p.n;
  share_out(p.threads, by_rows ? p.m : p.n, kTile, [&](Range range) {
    multiply_part(p, by_rows ? range : Range{0, p.m}, by_rows ? Range{0, p.n} : range, a, b, c);
  });
}

}  // namespace

void multiply(const MatrixProduct& p, const float* a, const float* b, float* c) {
  // OpenBLAS has threads of its own, which would wait for ours to stop spinning.
  openblas_set_num_threads(1);
  const auto at_a = [&](std::int64_t i) { return a + i * p.m * p.k; };
  const auto at_b = [&](std::int64_t i) { return b + i * p.k * p.n; };
  const auto at_c = [&](std::int64_t i) { return c + i * p.m * p.n; };
  if (p.equal < p.threads || p.equal == 1) {
    for (std::int64_t i = 0; i < p.equal; ++i) multiply_shared(p, at_a(i), at_b(i), at_c(i));
    return;
  }
  share_out(p.threads, p.equal, 1, [&](Range range) {
    for (std::int64_t i = range.begin; i < range.end; ++i)
      multiply_part(p, {0, p.m}, {0, p.n}, at_a(i), at_b(i), at_c(i));
  });
}

std::string blas_version() {
  std::istringstream words(openblas_get_config());  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  std::string name, version;
  words >> name >> version;
  return version + " (" + openblas_get_corename() + " kernels)";
}

}  // namespace mlsim::kernels
