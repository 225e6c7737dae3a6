#include "core/result/trust.hpp"

namespace mlsim {

const Words<TrustLevel>& words(TrustLevel) {
  static const Words<TrustLevel> table{"level of trust", {"measured", "good", "fair", "weak"}};
  return table;
}

const Words<Footing>& words(Footing) {
  static const Words<Footing> table{
      "footing",
      {"same-software", "over-pcie", "other-software", "open-software", "no-run", "like-model", "operators"}};
  return table;
}

}  // namespace mlsim
