// cpu_probes() lists what is measured of a processor beside the kernels of step graphs.
#pragma once

#include <string>
#include <vector>

namespace mlsim::kernels {

/// Lists copies and products up to the machine's ceilings, then each fused kernel with its unfused twin, so that what
/// fusion saves can be read off:
///   copy fp32 BYTES                  of the buffer that is copied
///   gemm fp32 M N K
///   bias_relu fused|unfused fp32 ROWS COLUMNS
///   norm_relu_add fused|unfused fp32 ROWS CHANNELS        batch normalisation, sum with a residual, ReLU
///   softmax_cross_entropy fused|unfused fp32 ROWS CLASSES   with its gradient
///   sgd|momentum|lars|adam|lamb fused|unfused fp32 PARAMETERS TENSORS
///   logistic_step fused|unfused fp32 ROWS FEATURES
/// `quick` gives the smallest list that still has every kind.
std::vector<std::string> cpu_probes(bool quick);

}  // namespace mlsim::kernels
