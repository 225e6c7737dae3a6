#include <algorithm>

#include "core/errors.hpp"
#include "workloads/lowering.hpp"

namespace mlsim {

const std::vector<std::string>& optimizer_names() {
  static const std::vector<std::string> names{"sgd", "momentum", "lars"};
  return names;
}

std::string_view name(Optimizer optimizer) { return optimizer_names()[static_cast<std::size_t>(optimizer)]; }

Optimizer parse_optimizer(std::string_view word) {
  const auto& names = optimizer_names();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) throw InputError(unknown_word("optimizer", word, names));
  return static_cast<Optimizer>(found - names.begin());
}

Bytes update_bytes_per_parameter(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::sgd: return Bytes(12);       // read weight and gradient, write weight, 4 bytes each
    case Optimizer::momentum: return Bytes(20);  // and read and write the momentum
    case Optimizer::lars: return Bytes(28);      // and read weight and gradient once more for their norms
  }
  return {};
}

Bytes state_bytes_per_parameter(Optimizer optimizer) { return Bytes(optimizer == Optimizer::sgd ? 0 : 4); }

}  // namespace mlsim
