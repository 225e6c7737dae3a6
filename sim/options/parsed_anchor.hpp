// An anchor whose settings have been read.
#pragma once

#include "core/anchor.hpp"
#include "sim/namespace.hpp"
#include "sim/options/options.hpp"

namespace mlsim::sim {

struct ParsedAnchor : TimedRun {
  ParsedAnchor() = default;
  ParsedAnchor(const Anchor& anchor);  // NOLINT: an anchor, read; throws InputError as options_of does

  Options options;
};

}  // namespace mlsim::sim
