// A `Fidelity` says how much of a system is simulated, and an `Engine` what moves its flows.
#pragma once

#include <cstdint>

#include "core/result/asked_words.hpp"
#include "core/text/words.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// An `Engine` moves flows and messages at every fidelity but closed; the two agree to 1e-12.
enum class Engine {
  simgrid,  // SimGrid's CM02 with neutral flags
  max_min,  // our own progressive filling
};

inline Words<Engine> words(Engine) { return {"engine", {"simgrid", "max-min"}}; }

/// Takes SimGrid, but not for many flows at once: up to 3.33 it walks a list of all live flows at the end of each, and
/// an actor for each rank and lane outgrows the caches. On 4096 ranks a fluid step takes it 8 s and an all-reduce
/// message by message 12 s, our own solver 0.2 s and 1 s. Nor for `one_of_many` questions: a child for each takes longer
/// than the answer. A program without SimGrid always takes its own.
Engine usual_engine(std::uint64_t flows_at_once, bool one_of_many = false);

}  // namespace mlsim::sim
