// A `Fidelity` says how much of a system is simulated.
#pragma once

#include "core/text/words.hpp"

namespace mlsim {

enum class Fidelity {
  closed,   // formulas only
  folded,   // one flow per class and phase
  fluid,    // every rank, one flow per neighbour pair and phase
  message,  // every message of every round
};

inline const Words<Fidelity>& words(Fidelity) {
  static const Words<Fidelity> table{"fidelity", {"closed", "folded", "fluid", "message"}};
  return table;
}

}  // namespace mlsim
