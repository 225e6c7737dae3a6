#include "sim/options/parsed_anchor.hpp"

#include "sim/options/options_text.hpp"

namespace mlsim::sim {

ParsedAnchor::ParsedAnchor(const Anchor& anchor) : TimedRun(anchor), options(options_of(anchor.settings)) {}

}  // namespace mlsim::sim
