// A `ParsedAnchor` is an anchor whose settings have been read.
#pragma once

#include <optional>
#include <string>

#include "core/profile/anchor.hpp"
#include "sim/namespace.hpp"
#include "sim/options/options.hpp"

namespace mlsim::sim {

struct ParsedAnchor : TimedRun {
  ParsedAnchor() = default;
  ParsedAnchor(const Anchor& anchor);  // NOLINT: an anchor, read; throws InputError as options_of does

  Options options;
  std::string parallelism;             // as a request has it, of the setting "parallelism"; empty: data parallel
  std::optional<double> kernel_speed;  // factor on the efficiency curve that the run gives, where it was worked out

  /// Says whether something else than its kernels bounds the run, so that its speed tells of its own machine alone: one
  /// whose kernels reach a thirtieth of their curve (assumed; the slowest of GPUs but one reaches 0.07), or a hundred
  /// times it, which none do (the fastest reaches 5).
  bool bound_elsewhere() const { return kernel_speed && (*kernel_speed < 0.03 || *kernel_speed > 100); }
};

}  // namespace mlsim::sim
