#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/text/errors.hpp"

namespace mlsim::reports {
namespace {

constexpr std::string_view kLaw = "law ";

std::string law_name(const RankScaling& law) {
  return fmt::format("{}{} {} {} {}", kLaw, law.communicator, law.device, name(law.precision), law.machine);
}

}  // namespace

int constants_in(const std::string& name, const std::vector<Profile>& profiles) {
  if (!name.starts_with(kLaw)) return 1;
  for (const Profile& profile : profiles)
    for (const RankScaling& law : profile.rank_scalings)
      if (law_name(law) == name) return static_cast<int>(3 * law.segments.size());
  throw InputError("sources.csv", fmt::format("column \"sets\": no profile has the {}", name));
}

SourceConstants& SourceConstants::operator+=(const SourceConstants& more) {
  inputs += more.inputs;
  names.insert(more.names.begin(), more.names.end());
  constants += more.constants;
  return *this;
}

SourceConstants source_constants(const std::vector<ItemScore>& items, const std::string& document,
                                 const std::vector<Profile>& profiles) {
  SourceConstants found;
  std::set<std::pair<std::string, std::string>> inputs;  // what is said, and the figure
  for (const ItemScore& item : items) {
    if (item.document != document) continue;
    for (const SourceScore& figure : item.figures) {
      if (!figure.what.anchor) continue;
      inputs.emplace(figure.what.says, fmt::format("{}", figure.what.published.value_or(0)));
      found.names.insert(figure.what.sets.begin(), figure.what.sets.end());
    }
  }
  found.inputs = static_cast<int>(inputs.size());
  for (const std::string& name : found.names) found.constants += constants_in(name, profiles);
  return found;
}

}  // namespace mlsim::reports
