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
};

}  // namespace mlsim::sim
