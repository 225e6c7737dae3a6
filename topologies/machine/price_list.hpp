// The price list has the prices of accelerators and hosts that are on record, with dates, regions and sources.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile/provenance.hpp"
#include "core/result/price_kind.hpp"
#include "core/units.hpp"
#include "topologies/machine/date_span.hpp"

namespace mlsim::topologies {

/// An entry is one price of one resource in some regions over some time.
struct PriceEntry {
  std::string resource;                                // "tpu-v3", "gcp-v100", ...
  std::string unit;                                    // "accelerator" or "node"
  std::vector<std::string> regions;                    // at least one; the first one of a resource is its home region
  Day from;                                            // the first day on which it is known to have been asked
  std::optional<Day> until;                            // the last one; empty: it is still asked
  std::optional<UsdPerSecond> on_demand, preemptible;  // at least one
  Source source;                                       // its date says from when until when

  const std::optional<UsdPerSecond>& price(PriceKind kind) const {
    return kind == PriceKind::on_demand ? on_demand : preemptible;
  }
};
const std::vector<PriceEntry>& price_entries();

/// Lists the regions of all entries, in the order of the file, each once.
std::vector<std::string> price_regions();

}  // namespace mlsim::topologies
