// A layer's work is made of these pieces: matrix products, their keys and sizes.
#pragma once

#include <cmath>
#include <cstdint>

#include "workloads/model/layer_work.hpp"

namespace mlsim::workloads {

/// Dimensions in keys are whole; a fractional batch counts as the next whole one.
inline std::int64_t whole(double value) { return static_cast<std::int64_t>(std::ceil(value)); }

/// Makes `products` products of `rows` vectors with an inputs x outputs matrix, with `biases` vectors of outputs.
KernelWork dense_kernel(Pass pass, double rows, std::int64_t inputs, std::int64_t outputs, std::int64_t products,
                        double biases, Precision precision);

/// Makes `products` equal products m x k times k x n, of which every operand is read and every result written once.
KernelWork matmul_kernel(double m, double n, double k, double products, Precision precision);

}  // namespace mlsim::workloads
