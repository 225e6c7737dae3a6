#include "core/kernel/update_rule.hpp"

namespace mlsim {

UpdateRule usual_rule(std::int64_t bytes_per_parameter, std::int64_t launches) {
  if (launches > 1) return UpdateRule::other;
  switch (bytes_per_parameter) {
    case 8: return UpdateRule::lars_norms;
    case 12: return UpdateRule::sgd;
    case 20: return UpdateRule::momentum;
    case 28: return UpdateRule::adam;
    case 32: return UpdateRule::lamb_norms;
    case 44: return UpdateRule::lamb;
    default: return UpdateRule::other;
  }
}

}  // namespace mlsim
