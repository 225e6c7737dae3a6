#include "topologies/prices.hpp"

#include <algorithm>
#include <cassert>

#include "core/document.hpp"
#include "topologies/sourced_figure.hpp"
#include "topologies_files.hpp"

namespace mlsim {
namespace {

PriceEntry read_price(const Document& document) {
  document.allow_only({"resource", "unit", "region", "on_demand", "preemptible", "provenance", "source", "date"});
  PriceEntry entry;
  entry.resource = document.at("resource").text();
  entry.unit = document.at("unit").word("unit of price", {"accelerator", "node"});
  entry.region = document.at("region").text();
  if (document.has("on_demand")) entry.on_demand = document.at("on_demand").quantity<UsdPerSecond>();
  if (document.has("preemptible")) entry.preemptible = document.at("preemptible").quantity<UsdPerSecond>();
  entry.source = read_source(document);
  return entry;
}

}  // namespace

const std::vector<PriceEntry>& price_entries() {
  static const std::vector<PriceEntry> all = [] {
    const auto& files = topologies_files();
    const auto file = std::find_if(files.begin(), files.end(), [](const auto& f) { return f.path == "prices.yaml"; });
    assert(file != files.end());
    std::vector<PriceEntry> entries;
    for (const auto& item : Document::parse(file->text, "prices.yaml").at("prices").items())
      entries.push_back(read_price(item));
    return entries;
  }();
  return all;
}

std::optional<Sourced<UsdPerSecond>> system_price(const Cluster& cluster, PriceKind kind) {
  if (cluster.bill.empty()) return std::nullopt;
  Sourced<UsdPerSecond> total;
  total.source = cluster.bill.front().source;
  total.source.source.clear();
  for (const auto& line : cluster.bill) {
    const auto& price = kind == PriceKind::on_demand ? line.on_demand : line.preemptible;
    if (!price) return std::nullopt;
    total.value += line.count * *price;
    total.source.provenance = std::max(total.source.provenance, line.source.provenance);
    total.source.source += (total.source.source.empty() ? "" : "; ") + line.resource + ": " + line.source.source;
  }
  return total;
}

}  // namespace mlsim
