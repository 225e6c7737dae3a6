// How far an answer is to be trusted: one word, from its distance to what was measured.
#pragma once

#include "core/statement.hpp"
#include "core/words.hpp"

namespace mlsim {

/// The nearest first. What each is worth is counted on published runs: docs/trust.md, "The word of trust".
enum class TrustLevel { measured, good, fair, weak };
const Words<TrustLevel>& words(TrustLevel);

struct Trust {
  TrustLevel level = TrustLevel::weak;
  Statement why;  // "off a measured step by 8 doublings, batch x0.0625"
  bool operator==(const Trust&) const = default;
};

}  // namespace mlsim
