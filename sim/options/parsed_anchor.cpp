#include "sim/options/parsed_anchor.hpp"

#include "sim/options/options_text.hpp"

namespace mlsim::sim {

namespace {

constexpr const char* kParallelism = "parallelism";

Settings without_parallelism(Settings settings) {
  settings.erase(kParallelism);
  return settings;
}

}  // namespace

ParsedAnchor::ParsedAnchor(const Anchor& anchor)
    : TimedRun(anchor), options(options_of(without_parallelism(anchor.settings))) {
  if (const auto split = anchor.settings.find(kParallelism); split != anchor.settings.end())
    parallelism = split->second;
}

}  // namespace mlsim::sim
