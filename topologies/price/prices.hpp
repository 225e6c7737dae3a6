// A `SystemPrice` is what a system costs per hour, with dates, regions and sources.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile/provenance.hpp"
#include "core/result/asked_words.hpp"
#include "core/text/statement.hpp"
#include "core/units.hpp"
#include "topologies/cluster/cluster.hpp"
#include "topologies/machine/date_span.hpp"
#include "topologies/price/own_price.hpp"

namespace mlsim::topologies {

/// The price list has the prices of accelerators and hosts that are on record, with dates, regions and sources. An
/// entry is one price of one resource in some regions over some time.
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

/// A `PriceQuestion` says which price is meant.
struct PriceQuestion {
  PriceKind kind = PriceKind::on_demand;
  std::optional<DateSpan> date;    // a price asked on some day of it; empty: the newest
  std::string region;              // empty: the home region of each resource
  std::vector<OwnPrice> own = {};  // of the user; they win over the price list, and of several the first
};

struct SystemPrice {
  UsdPerSecond value;  // price of the whole allocation
  Statement what;      // "22.88 USD/h on-demand, us-central1: 1 x gcp-n1-standard-64 at 3.04 + 8 x gcp-v100 at 2.48"
  Source source;       // least trusted of the parts; its date says when the parts were asked
};

/// Gives the price of the whole allocation; empty where the catalogue has none of that kind for a part of it at any
/// time (never a guess). A price that the machine's own file states holds on all dates and in all regions. Throws
/// InputError where the kind is priced, but not in that region or not on that date; it names what there is.
std::optional<SystemPrice> system_price(const Cluster& cluster, const PriceQuestion& question);

/// Lists the machines whose price nobody publishes, in the order of the catalogue.
std::vector<std::string> unpriced_machines();

}  // namespace mlsim::topologies
