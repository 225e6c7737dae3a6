#include "reports/lists/prices_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "reports/natural_order.hpp"
#include "reports/text_table.hpp"

namespace mlsim::reports {

std::string prices_text(std::vector<PriceEntry> entries, std::vector<std::string> unpriced) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return natural_less(a.resource, b.resource); });
  TextTable table{{{"resource", Align::left, true},
                   {"per", Align::left, true},
                   {"USD/h", Align::right, true},
                   {"preemptible", Align::right, true},
                   {"regions"},
                   {"from", Align::left, true},
                   {"until", Align::left, true},
                   {"provenance", Align::left, true}},
                  {}};
  const auto price = [](const std::optional<UsdPerSecond>& p) {
    return p ? fmt::format("{:.6g}", p->value * 3600) : std::string("-");
  };
  for (const auto& entry : entries) {
    table.rows.push_back({entry.resource, entry.unit, price(entry.on_demand), price(entry.preemptible),
                          fmt::format("{}", fmt::join(entry.regions, ", ")), month_text(entry.from),
                          entry.until ? month_text(*entry.until) : std::string("-"),
                          std::string(name(entry.source.provenance))});
  }
  std::sort(unpriced.begin(), unpriced.end(), natural_less);
  return with_note(
      table, fmt::format("The first region of a resource is its home, which counts unless --set price_region= names "
                         "another; --price-date takes the price of a date, --price and --prices your own. No public "
                         "price: {}.",
                         fmt::join(unpriced, ", ")));
}

}  // namespace mlsim::reports
