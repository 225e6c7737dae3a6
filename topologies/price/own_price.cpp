#include "topologies/price/own_price.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/text/document.hpp"
#include "core/text/errors.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "topologies/construction/selection.hpp"
#include "topologies/machine/accelerator_file.hpp"
#include "topologies/machine/machine_file.hpp"
#include "topologies/machine/published_names.hpp"
#include "topologies/machine/sourced_figure.hpp"
#include "topologies/machine/topology_name.hpp"
#include "topologies/price/prices.hpp"

namespace mlsim::topologies {
namespace {

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "h100-sxm5" means itself, "h100" all three "h100-...".
std::vector<std::string> accelerators_called(const std::string& word) {
  std::vector<std::string> called;
  for (const auto& name : accelerator_names()) {
    if (name == word) return {name};
    if (name.starts_with(word + "-")) called.push_back(name);
  }
  return called;
}

std::vector<std::string> priced_resources() {
  std::vector<std::string> names;
  for (const auto& entry : price_entries()) names.push_back(entry.resource);
  return names;
}

PriceUnit unit_of(const std::string& resource) {
  for (const auto& entry : price_entries())
    if (entry.resource == resource) return parse<PriceUnit>(entry.unit);
  return PriceUnit::node;
}

std::string unknown_price_name(const std::string& name) {
  std::vector<std::string> known = priced_resources();
  for (const auto& machine : catalogue_machines()) {
    known.push_back(machine.name);
    known.insert(known.end(), machine.aliases.begin(), machine.aliases.end());
  }
  for (const auto& accelerator : accelerator_names()) known.push_back(accelerator);
  for (const auto& published : published_names()) known.push_back(published.name);
  const std::string nearest = nearest_word(name, known);
  if (!nearest.empty()) return unknown_word("machine, accelerator or resource", name, known);
  return fmt::format(
      "unknown machine, accelerator or resource \"{}\"; `mlsim list topologies`, accelerators and prices show them",
      name);
}

constexpr Seconds kYear = hours(8766);

/// A priced name has what it is, and the unit of its price where none is said; empty means that one must be said.
struct PricedName {
  OwnPrice::Of of = OwnPrice::Of::machine;
  std::vector<std::string> means;
  std::optional<PriceUnit> unit;
};

// A grid of chips is rented whole and in parts, so the price of its bare name would be one or the other.
PricedName priced_machine(const TopologyName& name, const std::string& text) {
  if (!name.options.empty()) return {OwnPrice::Of::system, {build_cluster(text).name}, PriceUnit::system};
  if (name.is_file()) {
    if (std::error_code none; !std::filesystem::exists(name.head, none))
      throw InputError(fmt::format(
          "\"{}\" is no machine, accelerator or resource and no file; one price is NAME=PRICE, several for a sweep are "
          "--set own_price=A|B",
          name.head));
    const bool node = read_machine(Document::load(name.head)).node.has_value();
    return {OwnPrice::Of::machine, {name.head}, node ? std::optional(PriceUnit::node) : std::nullopt};
  }
  const MachineSpec* machine = machine_called(name);
  if (machine == nullptr)  // a bare grid
    return {OwnPrice::Of::system, {build_cluster(name.head).name}, PriceUnit::system};
  return {OwnPrice::Of::machine, {machine->name}, machine->node ? std::optional(PriceUnit::node) : std::nullopt};
}

PricedName priced_name(const std::string& text) {
  const TopologyName name = resolved_name(parse_topology_name(text));
  const bool machine = name.is_file() || machine_called(name) != nullptr || !name.options.empty() ||
                       parse_grid_word(name.head).has_value();
  if (machine) return priced_machine(name, text);
  if (auto called = accelerators_called(text); !called.empty())
    return {OwnPrice::Of::accelerators, std::move(called), PriceUnit::accelerator};
  if (holds(priced_resources(), text)) return {OwnPrice::Of::resource, {text}, unit_of(text)};
  throw InputError(unknown_price_name(text));
}

// Fills what the name says; `unit` is empty where the user says none.
void resolve(OwnPrice& price, const std::string& name, const std::optional<PriceUnit>& unit) {
  const PricedName meant = priced_name(name);
  price.name = name;
  price.of = meant.of;
  price.means = meant.means;
  if (!unit && !meant.unit)
    throw InputError(fmt::format("{} is rented by the chip or whole; say {}=PRICE/accelerator or /system", name, name));
  const bool fixed = meant.of == OwnPrice::Of::accelerators || meant.of == OwnPrice::Of::resource;
  if (fixed && unit && *unit != *meant.unit)
    throw InputError(
        fmt::format("{} is priced by the {}, not by the {}", name, mlsim::name(*meant.unit), mlsim::name(*unit)));
  price.unit = unit.value_or(meant.unit.value_or(PriceUnit::node));
}

// Takes the unit off "98USD/h/node", where it has the second slash.
std::optional<PriceUnit> take_unit(std::string& price) {
  const auto slash = price.rfind('/');
  if (std::count(price.begin(), price.end(), '/') < 2) return std::nullopt;
  const PriceUnit unit = parse<PriceUnit>(price.substr(slash + 1));
  price.resize(slash);
  return unit;
}

// Reads "300kUSD/3y"; empty where the text is a price by the hour.
std::optional<PurchasePrice> read_purchase(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos) {
    if (text.ends_with("USD"))
      throw InputError(
          fmt::format("\"{}\" is paid once: over how many years? Write {}/3y, or a price by the hour, USD/h",
                      text.substr(0, 80), text.substr(0, 80)));
    return std::nullopt;
  }
  if (!text.ends_with('y') || slash + 2 >= text.size()) return std::nullopt;
  const double years = bounded_number(text.substr(slash + 1, text.size() - slash - 2), 0.1, 100);
  const Usd price = parse_quantity<Usd>(text.substr(0, slash));
  if (!(price > Usd(0))) throw InputError(fmt::format("\"{}\" must be more than nothing", text.substr(0, 80)));
  return PurchasePrice{price, kYear * years};
}

PriceKind take_kind(std::string& price) {
  const auto colon = price.rfind(':');
  if (colon == std::string::npos) return PriceKind::on_demand;
  const PriceKind kind = parse<PriceKind>(price.substr(colon + 1));
  price.resize(colon);
  return kind;
}

OwnPrice read_own_price(const Document& document) {
  document.allow_only(
      {"resource", "unit", "regions", "from", "until", "on_demand", "preemptible", "provenance", "source"});
  OwnPrice price;
  const Document name = document.at("resource");
  std::optional<PriceUnit> unit;
  if (document.has("unit")) unit = document.at("unit").word<PriceUnit>();
  try {
    resolve(price, name.text(), unit);
  } catch (const InputError& e) {
    throw e.place().empty() ? name.error(e.reason()) : e;
  }
  for (const auto& [key, slot] : {std::pair("on_demand", &price.on_demand), {"preemptible", &price.preemptible}}) {
    if (document.has(key)) *slot = read_bounded<UsdPerSecond>(document.at(key));
  }
  if (!price.on_demand && !price.preemptible) throw document.error("needs on_demand, preemptible or both");
  if (document.has("regions"))
    for (const auto& region : document.at("regions").items()) price.regions.push_back(region.text());
  if (document.has("from")) price.from = read_dates(document.at("from")).first;
  if (document.has("until")) price.until = read_dates(document.at("until")).last;
  if (price.from && price.until && *price.until < *price.from) throw document.at("until").error("is before \"from\"");
  price.source = {document.has("provenance") ? document.at("provenance").word<Provenance>() : Provenance::assumed,
                  fmt::format("{} at {}", kGivenByUser, document.place()), ""};
  if (document.has("source")) price.source.source += ", " + document.at("source").text();
  return price;
}

bool covers(const OwnPrice& price, PriceKind kind, const std::optional<DateSpan>& date, const std::string& region) {
  if (!(kind == PriceKind::on_demand ? price.on_demand : price.preemptible)) return false;
  if (!region.empty() && !price.regions.empty() && !holds(price.regions, region)) return false;
  if (!date) return true;
  return (!price.from || *price.from <= date->last) && (!price.until || date->first <= *price.until);
}

// Makes the whole bill, or the price of one resource of it.
BillLine line_of(const OwnPrice& price, const Cluster& cluster) {
  BillLine line;
  line.resource = price.name;
  line.count = price.unit == PriceUnit::system ? 1 : price.unit == PriceUnit::node ? cluster.nodes : cluster.ranks();
  line.on_demand = price.on_demand;
  line.preemptible = price.preemptible;
  line.source = price.source;
  return line;
}

}  // namespace

OwnPrice parse_own_price(const std::string& text) {
  const auto equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw InputError(fmt::format("\"{}\" is not NAME=PRICE; write p5=98USD/h", text.substr(0, 80)));
  std::string figure = text.substr(equals + 1);
  OwnPrice price;
  const PriceKind kind = take_kind(figure);
  const auto unit = take_unit(figure);
  price.purchase = read_purchase(figure);
  if (price.purchase && kind != PriceKind::on_demand)
    throw InputError(fmt::format("\"{}\": what is bought is not preempted", text.substr(0, 80)));
  (kind == PriceKind::on_demand ? price.on_demand : price.preemptible) =
      price.purchase ? price.purchase->price / price.purchase->life : bounded_quantity<UsdPerSecond>(figure);
  resolve(price, text.substr(0, equals), unit);
  price.source = {Provenance::assumed, std::string(kGivenByUser), ""};
  return price;
}

std::string text(const OwnPrice& price) {
  if (price.purchase)
    return fmt::format("{}={}USD/{}y/{}", price.name, price.purchase->price.value, price.purchase->life / kYear,
                       name(price.unit));
  const PriceKind kind = price.on_demand ? PriceKind::on_demand : PriceKind::preemptible;
  return fmt::format("{}={} USD/s/{}:{}", price.name, (price.on_demand ? *price.on_demand : *price.preemptible).value,
                     name(price.unit), name(kind));
}

std::vector<OwnPrice> read_own_prices(const std::string& path) {
  const Document document = Document::load(path);
  document.allow_only({"prices"});
  std::vector<OwnPrice> prices;
  for (const auto& item : document.at("prices").items()) prices.push_back(read_own_price(item));
  return prices;
}

bool applies(const OwnPrice& price, const Cluster& cluster) {
  switch (price.of) {
    case OwnPrice::Of::machine:
      return holds(price.means, cluster.machine) || holds(price.means, parse_topology_name(cluster.name).head);
    case OwnPrice::Of::system: return holds(price.means, cluster.name);
    case OwnPrice::Of::accelerators: return holds(price.means, cluster.accelerator.name);
    case OwnPrice::Of::resource:
      return std::any_of(cluster.bill.begin(), cluster.bill.end(),
                         [&](const BillLine& line) { return holds(price.means, line.resource); });
  }
  return false;
}

std::optional<PurchasePrice> purchase_of(const std::vector<OwnPrice>& prices, const Cluster& cluster) {
  for (const OwnPrice& price : prices) {
    if (price.of == OwnPrice::Of::resource || !price.on_demand || !applies(price, cluster)) continue;
    if (!price.purchase) return std::nullopt;
    return PurchasePrice{price.purchase->price * line_of(price, cluster).count, price.purchase->life};
  }
  return std::nullopt;
}

std::vector<BillLine> bill_with(const std::vector<OwnPrice>& prices, const Cluster& cluster, PriceKind kind,
                                const std::optional<DateSpan>& date, const std::string& region) {
  std::vector<BillLine> bill = cluster.bill;
  std::vector<std::string> settled;
  for (const OwnPrice& price : prices) {
    if (!covers(price, kind, date, region) || !applies(price, cluster)) continue;
    if (price.of != OwnPrice::Of::resource) {
      if (settled.empty()) return {line_of(price, cluster)};
      continue;
    }
    if (holds(settled, price.name)) continue;
    settled.push_back(price.name);
    for (BillLine& line : bill) {
      if (line.resource != price.name) continue;
      const double count = line.count;
      line = line_of(price, cluster);
      line.count = count;
    }
  }
  return bill;
}

}  // namespace mlsim::topologies
