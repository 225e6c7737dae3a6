// What a system costs per hour, with date and source.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/provenance.hpp"
#include "core/units.hpp"
#include "topologies/cluster.hpp"

namespace mlsim {

enum class PriceKind { on_demand, preemptible };

struct PriceEntry {
  std::string resource;  // "tpu-v3", "gce-v100", ...
  std::string unit;      // "accelerator" or "node"
  std::string region;
  std::optional<UsdPerSecond> on_demand, preemptible;
  Source source;  // with the date
};
const std::vector<PriceEntry>& price_entries();

/// The price of the whole allocation; empty where the catalogue has none for this machine (never a guess).
std::optional<Sourced<UsdPerSecond>> system_price(const Cluster& cluster, PriceKind kind);

}  // namespace mlsim
