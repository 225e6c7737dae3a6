#include "core/precision.hpp"

#include <algorithm>

#include "core/errors.hpp"

namespace mlsim {

const std::vector<std::string>& precision_names() {
  static const std::vector<std::string> names{"fp32", "tf32", "fp16", "bf16", "fp8"};
  return names;
}

std::string_view name(Precision precision) { return precision_names()[static_cast<std::size_t>(precision)]; }

Precision parse_precision(std::string_view word) {
  if (word == "mixed") return Precision::fp16;
  const auto& names = precision_names();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) throw InputError(unknown_word("precision", word, names));
  return static_cast<Precision>(found - names.begin());
}

Bytes element_size(Precision precision) {
  return Bytes(precision == Precision::fp32 || precision == Precision::tf32 ? 4.0 : 2.0);
}

}  // namespace mlsim
