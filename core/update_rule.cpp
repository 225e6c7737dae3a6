#include "core/update_rule.hpp"

#include <algorithm>

#include "core/errors.hpp"

namespace mlsim {

const std::vector<std::string>& update_rule_names() {
  static const std::vector<std::string> names{"other",        "sgd",        "momentum", "nesterov",
                                              "averaged_sgd", "adagrad",    "adam",     "lars_norms",
                                              "lars",         "lamb_norms", "lamb"};
  return names;
}

std::string_view name(UpdateRule rule) { return update_rule_names()[static_cast<std::size_t>(rule)]; }

UpdateRule parse_update_rule(std::string_view word) {
  const auto& names = update_rule_names();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) throw InputError(unknown_word("update rule", word, names));
  return static_cast<UpdateRule>(found - names.begin());
}

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
