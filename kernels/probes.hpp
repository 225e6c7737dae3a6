// The probes are what is measured beside the kernels of step graphs, by name: those of processors, and those of GPUs
// with their kinds, variants, precisions and sizes. No GPU and no CUDA is needed here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/kernel/precision.hpp"
#include "core/kernel/probe_name.hpp"

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

namespace cuda {

/// A ProbeForm says how a kind's names are written.
struct ProbeForm {
  std::string kind;
  std::vector<std::string> variants;
  std::vector<Precision> precisions;                    // that are measured; empty: the name has none
  std::vector<std::string> sizes;                       // what each is
  std::vector<std::vector<std::int64_t>> usual, quick;  // sizes that are measured
};

const std::vector<ProbeForm>& probe_forms();

/// Reads a probe of one of these forms. Throws InputError with the nearest right word.
ProbeName parse_known_probe(const std::string& text);

}  // namespace cuda

/// Returns the names of the probes worth measuring, the machine's ceilings first; `quick` ones take a minute.
std::vector<std::string> cuda_probes(bool quick);

}  // namespace mlsim::kernels
