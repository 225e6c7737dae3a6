// A ProbeName says what a probe measures of a device beside the kernels of step graphs, and at which size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/kernel/precision.hpp"

namespace mlsim {

/// Its text is KIND [VARIANT] [PRECISION] [SIZE]...: "copy fp32 268435456", "launch graph", "bias_relu fused fp16
/// 8192".
struct ProbeName {
  std::string kind;
  std::string variant;  // empty where the kind has none
  std::optional<Precision> precision;
  std::vector<std::int64_t> sizes;
  bool operator==(const ProbeName&) const = default;
};

/// The measuring program decides which kinds, variants and sizes there are. Throws InputError where there is no kind,
/// the word before the sizes is no precision, or a size is no whole number of at least 1.
ProbeName parse_probe_name(const std::string& text);
std::string to_text(const ProbeName& name);

}  // namespace mlsim
