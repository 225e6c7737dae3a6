#include "sim/fidelity.hpp"

#include <algorithm>

#include "core/errors.hpp"

namespace mlsim {

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

}  // namespace mlsim
