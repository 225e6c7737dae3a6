// The probes (kernels/cpu_probes.hpp) run these operations: ceilings, and fused kernels beside their unfused twins.
#pragma once

#include "kernels/cpu/framework/cpu_operation.hpp"
#include "kernels/cpu/fused/rows.hpp"
#include "kernels/cpu/fused/update.hpp"

namespace mlsim::kernels {

CpuOperation copy_probe(std::int64_t bytes, int threads);
CpuOperation gemm_probe(std::int64_t m, std::int64_t n, std::int64_t k, int threads);

/// Both twins count the bytes that the fused one has to move.
CpuOperation bias_relu_probe(RowShape shape, bool fused);
CpuOperation norm_relu_add_probe(RowShape shape, bool fused);
CpuOperation softmax_probe(RowShape shape, bool fused);
CpuOperation update_probe(UpdateRule rule, std::int64_t parameters, std::int64_t tensors, bool fused, int threads);
CpuOperation logistic_probe(RowShape shape, bool fused);

}  // namespace mlsim::kernels
