#include "reports/lists/topologies_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/units_text.hpp"
#include "reports/natural_order.hpp"
#include "reports/text_table.hpp"

namespace mlsim::reports {

std::string topologies_text(std::vector<SystemFacts> systems) {
  std::stable_sort(systems.begin(), systems.end(),
                   [](const auto& a, const auto& b) { return natural_less(a.name, b.name); });
  TextTable table{{{"name", Align::left, true},
                   {"chips", Align::right, true},
                   {"accelerator", Align::left, true},
                   {"memory", Align::right, true},
                   {"network", Align::right, true},
                   {"USD/h", Align::right, true},
                   {"what it is"}},
                  {}};
  for (const SystemFacts& system : systems) {
    const BytesPerSecond network = system.network.value > 0 ? system.network : BytesPerSecond(0);
    table.rows.push_back({system.name, count_text(system.accelerators), system.accelerator.name,
                          to_text(system.accelerator.memory.value), network.value > 0 ? to_text(network) : "-",
                          system.price ? fmt::format("{:.4g}", system.price->value.value * 3600) : "-",
                          system.description});
  }
  return with_note(table,
                   "memory: of one accelerator; network: of one node, all its adapters; USD/h: of the whole system, on "
                   "demand, the newest price on record (mlsim list prices). = stands before the topology that a "
                   "published name means. Options follow a colon: nodes=N makes a cluster of a machine, "
                   "dgx-a100:nodes=8, and slice=XxY cuts a grid, torus32x32:slice=16x16. `mlsim list NAME` shows one "
                   "whole; --cloud, --accelerator, --memory and --max-price choose.");
}

}  // namespace mlsim::reports
