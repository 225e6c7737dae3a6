// Each function makes the operations of a family of keys; where a key says less than a kernel needs, the usual counts.
#pragma once

#include <memory>

#include "costs/kernel_work.hpp"
#include "kernels/cpu/framework/cpu_operation.hpp"
#include "kernels/cpu/fused/rows.hpp"
#include "kernels/cpu/fused/stream.hpp"
#include "kernels/cpu/fused/update.hpp"

namespace mlsim::kernels {

CpuOperation convolution_operation(const KernelKey& key, int threads);
CpuOperation pool_operation(const KernelKey& key, int threads);
CpuOperation matrix_operation(const KernelKey& key, int threads);      // dense_*, matmul
CpuOperation batch_norm_operation(const KernelKey& key, int threads);  // with ReLU, and a residual where the elements
                                                                       // beside are a tensor or more
CpuOperation layer_norm_operation(const KernelKey& key, int threads);
CpuOperation softmax_operation(const KernelKey& key, int threads);
CpuOperation sigmoid_operation(const KernelKey& key, int threads);
CpuOperation elementwise_operation(const KernelKey& key, int threads);
CpuOperation gather_operation(const KernelKey& key, int threads);
CpuOperation scatter_operation(const KernelKey& key, int threads);
/// An update without a rule is moved in a stream.
CpuOperation optimizer_operation(const KernelKey& key, int threads);

/// Makes the operation on a state with run(), largest_error() and arriving(), the buffer that the kernel before has
/// just made.
template <class State>
CpuOperation operation_on(const std::shared_ptr<State>& state, const KernelWork& work, int threads) {
  return {[state] { state->run(); }, [state] { return state->largest_error(); }, work.bytes, work.flop,
          [state, threads] { rewrite(state->arriving().data(), state->arriving().size(), threads); }};
}

/// Runs `operation` and behind it a stream that reads `elements`, as of masks that merged layers move.
CpuOperation with_elements_beside(CpuOperation operation, std::int64_t elements, int threads);

/// The probes (kernels/probes.hpp) run these operations: ceilings, and fused kernels beside their unfused twins.
CpuOperation copy_probe(std::int64_t bytes, int threads);
CpuOperation gemm_probe(std::int64_t m, std::int64_t n, std::int64_t k, int threads);

/// Both twins count the bytes that the fused one has to move.
CpuOperation bias_relu_probe(RowShape shape, bool fused);
CpuOperation norm_relu_add_probe(RowShape shape, bool fused);
CpuOperation softmax_probe(RowShape shape, bool fused);
CpuOperation update_probe(UpdateRule rule, std::int64_t parameters, std::int64_t tensors, bool fused, int threads);
CpuOperation logistic_probe(RowShape shape, bool fused);

}  // namespace mlsim::kernels
