#include "core/collective.hpp"

#include <algorithm>

#include "core/errors.hpp"

namespace mlsim {

const std::vector<std::string>& collective_kind_names() {
  static const std::vector<std::string> names{"all-reduce",   "reduce-scatter", "all-gather",
                                              "broadcast",    "all-to-all",     "halo-exchange",
                                              "send-receive", "parameter-pull", "parameter-push"};
  return names;
}

std::string_view name(CollectiveKind kind) { return collective_kind_names()[static_cast<std::size_t>(kind)]; }

CollectiveKind parse_collective_kind(std::string_view word) {
  const auto& names = collective_kind_names();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) throw InputError(unknown_word("collective", word, names));
  return static_cast<CollectiveKind>(found - names.begin());
}

double bus_bandwidth_factor(CollectiveKind kind, int ranks) {
  const double n = ranks;
  switch (kind) {
    case CollectiveKind::all_reduce: return 2 * (n - 1) / n;
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all: return (n - 1) / n;
    default: return 1;
  }
}

}  // namespace mlsim
