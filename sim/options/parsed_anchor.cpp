#include "sim/options/parsed_anchor.hpp"

#include <utility>

#include "sim/options/options_text.hpp"

namespace mlsim::sim {

ParsedAnchor::ParsedAnchor(Anchor anchor) : Anchor(std::move(anchor)), options(options_of(settings)) {}

}  // namespace mlsim::sim
