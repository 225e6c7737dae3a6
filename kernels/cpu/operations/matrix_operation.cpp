#include <algorithm>
#include <utility>

#include "kernels/cpu/framework/buffer.hpp"
#include "kernels/cpu/kernel_operations.hpp"
#include "kernels/cpu/library/matrix_product.hpp"

namespace mlsim::kernels {
namespace {

// Weights lie as outputs x inputs, as frameworks keep them. dense_forward: y = x w'; input gradient: dx = dy w; weight
// gradient: dw = dy' x.
MatrixProduct product_of(const KernelKey& key, int threads) {
  if (key.op == KernelOp::matmul) {
    const auto& [m, n, k, products, merged] = shape_of<ProductShape>(key);
    return {m, n, k, products, false, false, threads};
  }
  const auto& [rows, inputs, outputs, products, merged] = shape_of<DenseShape>(key);
  if (key.op == KernelOp::dense_forward) return {rows, outputs, inputs, products, false, true, threads};
  if (key.op == KernelOp::dense_input_gradient) return {rows, inputs, outputs, products, false, false, threads};
  return {outputs, inputs, rows, products, true, false, threads};
}

struct ProductState {
  explicit ProductState(const MatrixProduct& p)
      : product(p),
        a(random_buffer(p.equal * p.m * p.k, 1)),
        b(random_buffer(p.equal * p.k * p.n, 2)),
        c(p.equal * p.m * p.n) {}

  void run() { multiply(product, a.data(), b.data(), c.data()); }
  void run_fresh() { multiply(product, batches.next(a), b.data(), c.data()); }

  // The kernel before has just made this buffer.
  Buffer& arriving() { return a; }

  double largest_error() {
    run();
    const MatrixProduct& p = product;
    ErrorMeter meter;
    for_checked(c.size(), p.k, [&](std::int64_t at) {
      const std::int64_t which = at / (p.m * p.n), i = at / p.n % p.m, j = at % p.n;
      const float *left = a.data() + which * p.m * p.k, *right = b.data() + which * p.k * p.n;
      double sum = 0;
      for (std::int64_t l = 0; l < p.k; ++l) {
        sum += double(left[p.transpose_a ? l * p.m + i : i * p.k + l]) *
               double(right[p.transpose_b ? j * p.k + l : l * p.n + j]);
      }
      meter.compare(double(c[at]), sum);
    });
    return meter.largest();
  }

  MatrixProduct product;
  Buffer a, b, c;
  BatchCycle batches;  // batches of `a`
};

}  // namespace

CpuOperation matrix_operation(const KernelKey& key, int threads) {
  const auto state = std::make_shared<ProductState>(product_of(key, threads));
  CpuOperation operation = operation_on(state, costs::kernel_work(key), threads);
  if (key.op == KernelOp::dense_forward) operation.run_fresh = [state] { state->run_fresh(); };
  return with_elements_beside(std::move(operation), merged_elements(key.shape), threads);
}

}  // namespace mlsim::kernels
