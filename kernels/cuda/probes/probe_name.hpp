// The names of probes: what kinds there are, their variants and sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/precision.hpp"

namespace mlsim::kernels::cuda {

/// "copy fp32 268435456", "launch graph", "bias_relu fused fp16 8192 1024".
struct ProbeName {
  std::string kind;
  std::string variant;  // empty where the kind has none
  Precision precision = Precision::fp32;
  std::vector<std::int64_t> sizes;
  bool operator==(const ProbeName&) const = default;
};

/// How a kind's names are written.
struct ProbeForm {
  std::string kind;
  std::vector<std::string> variants;
  std::vector<Precision> precisions;                    // that are measured; empty: the name has none
  std::vector<std::string> sizes;                       // what each is
  std::vector<std::vector<std::int64_t>> usual, quick;  // sizes that are measured
};

const std::vector<ProbeForm>& probe_forms();

/// Throws InputError with the nearest right word.
ProbeName parse_probe_name(const std::string& text);
std::string to_text(const ProbeName& name);

}  // namespace mlsim::kernels::cuda
