#include "core/trust.hpp"

namespace mlsim {

const Words<TrustLevel>& words(TrustLevel) {
  static const Words<TrustLevel> table{"level of trust", {"measured", "good", "fair", "weak"}};
  return table;
}

}  // namespace mlsim
