#include "core/provenance.hpp"

#include <algorithm>

#include "core/errors.hpp"

namespace mlsim {

const std::vector<std::string>& provenance_names() {
  static const std::vector<std::string> names{"measured", "published", "datasheet", "fitted", "assumed"};
  return names;
}

std::string_view name(Provenance provenance) { return provenance_names()[static_cast<std::size_t>(provenance)]; }

Provenance parse_provenance(std::string_view word) {
  const auto& names = provenance_names();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) throw InputError(unknown_word("provenance", word, names));
  return static_cast<Provenance>(found - names.begin());
}

}  // namespace mlsim
