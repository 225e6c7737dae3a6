// A `SystemPrice` is what a system costs per hour, with dates, regions and sources.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile/provenance.hpp"
#include "core/text/statement.hpp"
#include "core/units.hpp"
#include "topologies/cluster/cluster.hpp"
#include "topologies/machine/date_span.hpp"
#include "topologies/machine/price_list.hpp"
#include "topologies/price/own_price.hpp"

namespace mlsim::topologies {

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

/// Writes "0.0475 USD/h": all digits that prices have.
std::string price_text(UsdPerSecond price);

}  // namespace mlsim::topologies
