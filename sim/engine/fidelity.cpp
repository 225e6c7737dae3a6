#include "sim/engine/fidelity.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "sim/engine/engine_version.hpp"

namespace mlsim::sim {

const std::vector<std::string>& fidelity_names() {
  static const std::vector<std::string> names{"closed", "folded", "fluid", "message"};
  return names;
}

std::string_view name(Fidelity fidelity) { return fidelity_names()[static_cast<std::size_t>(fidelity)]; }

Fidelity parse_fidelity(std::string_view word) {
  const auto& names = fidelity_names();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) throw InputError(unknown_word("fidelity", word, names));
  return static_cast<Fidelity>(found - names.begin());
}

const std::vector<std::string>& engine_names() {
  static const std::vector<std::string> names{"simgrid", "max-min"};
  return names;
}

std::string_view name(Engine engine) { return engine_names()[static_cast<std::size_t>(engine)]; }

Engine parse_engine(std::string_view word) {
  const auto& names = engine_names();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) throw InputError(unknown_word("engine", word, names));
  return static_cast<Engine>(found - names.begin());
}

Engine usual_engine(std::uint64_t flows_at_once) {
  constexpr std::uint64_t kMostForSimgrid = 2048;
  return flows_at_once > kMostForSimgrid || !has_simgrid() ? Engine::max_min : Engine::simgrid;
}

}  // namespace mlsim::sim
