// These words of a question stand in its answer: the clock, the terms of rent, and how much is simulated.
#pragma once

#include "core/text/words.hpp"

namespace mlsim {

/// A `ClockRule` says what the clock of a job counts.
enum class ClockRule { mlperf, wall };  // wall: initialisation is on the clock too

inline Words<ClockRule> words(ClockRule) { return {"clock", {"mlperf", "wall"}}; }

/// A `PriceKind` says on which terms a machine is rented.
enum class PriceKind { on_demand, preemptible };

inline Words<PriceKind> words(PriceKind) { return {"kind of price", {"on-demand", "preemptible"}}; }

/// A `Fidelity` says how much of a system is simulated.
enum class Fidelity {
  closed,   // formulas only
  folded,   // one flow per class and phase
  fluid,    // every rank, one flow per neighbour pair and phase
  message,  // every message of every round
};

inline Words<Fidelity> words(Fidelity) { return {"fidelity", {"closed", "folded", "fluid", "message"}}; }

}  // namespace mlsim
