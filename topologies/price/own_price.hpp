// An `OwnPrice` is a price of the user's, which wins over the price list: "p5=98 USD/h", "h100=2.5 USD/h", or a file
// of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/profile/provenance.hpp"
#include "core/result/asked_words.hpp"
#include "core/text/words.hpp"
#include "core/units.hpp"
#include "topologies/cluster/cluster.hpp"
#include "topologies/machine/date_span.hpp"

namespace mlsim::topologies {

/// A price is that of one such unit.
enum class PriceUnit { accelerator, node, system };

/// Units are called "accelerator", "node", "system".
inline Words<PriceUnit> words(PriceUnit) { return {"unit of price", {"accelerator", "node", "system"}}; }

/// A `PurchasePrice` is paid once, for machines that last so long.
struct PurchasePrice {
  Usd price;  // of one unit
  Seconds life;
  bool operator==(const PurchasePrice&) const = default;
};

/// An `OwnPrice` is one price of the user's own.
struct OwnPrice {
  /// `Of` says what the name is. The price of a resource takes the place of the price list's; any other is the whole
  /// bill.
  enum class Of { machine, system, accelerators, resource };

  std::string name;  // as given: "p5", "tpu-v3-32", "h100", "aws-p5.48xlarge"
  Of of = Of::machine;
  std::vector<std::string> means;                      // as the catalogue has it: "h100-pcie", "h100-sxm5", ...
  PriceUnit unit = PriceUnit::node;                    // one of these
  std::optional<UsdPerSecond> on_demand, preemptible;  // at least one
  std::optional<PurchasePrice> purchase;               // `on_demand` is then its share of a second of its life
  std::vector<std::string> regions;                    // empty: all
  std::optional<Day> from, until;                      // empty: always
  Source source;                                       // that the user gave it, and where

  bool operator==(const OwnPrice&) const = default;
};

/// The source of such a price holds these words, and where it stands in a file: "given by the user at mine.yaml:2".
inline constexpr std::string_view kGivenByUser = "given by the user";

/// Parses NAME=PRICE[/UNIT][:KIND], or NAME=MONEY/YEARSy[/UNIT] of what is bought: "p5=98USD/h", "dgx-h100=300kUSD/3y",
/// "dgx-a100=4USD/h/accelerator", "p5=30USD/h:preemptible". NAME is a machine (its price is that of a node), a topology
/// with its size (of all of it), an accelerator or how several begin (of one), or a resource of the price list (of its
/// own unit); without a kind the price is on demand. Throws InputError without a place.
OwnPrice parse_own_price(const std::string& text);
/// Writes a price as parse_own_price reads it, if that made it.
std::string text(const OwnPrice& price);

/// Reads a YAML file `prices:` with entries like those of the price list: resource (any NAME as above), on_demand or
/// preemptible, and where wanted unit, regions, from, until and source. Throws InputError with file, line and word.
std::vector<OwnPrice> read_own_prices(const std::string& path);

/// Returns what the whole cluster costs where the first of the prices that makes its bill is a purchase.
std::optional<PurchasePrice> purchase_of(const std::vector<OwnPrice>& prices, const Cluster& cluster);

/// Says whether the bill of the cluster takes that price at some time in some region.
bool applies(const OwnPrice& price, const Cluster& cluster);

/// Puts the user's prices into the bill: of several that apply the first counts. A price for other days or regions than
/// those asked for does not apply.
std::vector<BillLine> bill_with(const std::vector<OwnPrice>& prices, const Cluster& cluster, PriceKind kind,
                                const std::optional<DateSpan>& date, const std::string& region);

}  // namespace mlsim::topologies
