// A `PriceKind` says on which terms a machine is rented.
#pragma once

#include "core/text/words.hpp"

namespace mlsim {

enum class PriceKind { on_demand, preemptible };

inline const Words<PriceKind>& words(PriceKind) {
  static const Words<PriceKind> table{"kind of price", {"on-demand", "preemptible"}};
  return table;
}

}  // namespace mlsim
