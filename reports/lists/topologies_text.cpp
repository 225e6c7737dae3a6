#include "reports/lists/topologies_text.hpp"

#include <algorithm>

#include "core/units_text.hpp"
#include "reports/natural_order.hpp"
#include "reports/text_table.hpp"

namespace mlsim::reports {

std::string topologies_text(std::vector<TopologyEntry> entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return natural_less(a.name, b.name); });
  TextTable table{{{"name", Align::left, true},
                   {"accelerators", Align::right, true},
                   {"accelerator", Align::left, true},
                   {"what it is"}},
                  {}};
  for (const auto& entry : entries) {
    table.rows.push_back({entry.name, count_text(entry.accelerators), entry.accelerator, entry.description});
  }
  return with_note(table,
                   "= stands before the topology that a published name means. Options follow a colon: nodes=N makes a "
                   "cluster of a machine, dgx-a100:nodes=8, and slice=XxY cuts a grid, torus32x32:slice=16x16.");
}

}  // namespace mlsim::reports
