// How much of a system is simulated.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mlsim {

enum class Fidelity {
  closed,   // formulas only
  folded,   // one flow per class and phase
  fluid,    // every rank, one flow per neighbour pair and phase
  message,  // every message of every round
};

const std::vector<std::string>& fidelity_names();
std::string_view name(Fidelity fidelity);
Fidelity parse_fidelity(std::string_view word);  // throws InputError

/// What moves the flows of a folded or fluid step; the two agree to 1e-12.
enum class Engine {
  simgrid,  // SimGrid's CM02 with neutral flags
  max_min,  // our own progressive filling
};

const std::vector<std::string>& engine_names();
std::string_view name(Engine engine);
Engine parse_engine(std::string_view word);  // throws InputError

}  // namespace mlsim
