#include "topologies/machine/price_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "core/text/document.hpp"
#include "topologies/machine/sourced_figure.hpp"
#include "topologies_files.hpp"

namespace mlsim::topologies {
namespace {

PriceEntry read_price(const Document& document) {
  document.allow_only(
      {"resource", "unit", "regions", "from", "until", "on_demand", "preemptible", "provenance", "source"});
  PriceEntry entry;
  entry.resource = document.at("resource").text();
  entry.unit = document.at("unit").word("unit of price", {"accelerator", "node"});
  for (const auto& region : document.at("regions").items()) entry.regions.push_back(region.text());
  entry.from = read_dates(document.at("from")).first;
  if (document.has("until")) entry.until = read_dates(document.at("until")).last;
  if (document.has("on_demand")) entry.on_demand = read_bounded<UsdPerSecond>(document.at("on_demand"));
  if (document.has("preemptible")) entry.preemptible = read_bounded<UsdPerSecond>(document.at("preemptible"));
  entry.source = read_source(document);
  const std::string from = month_text(entry.from);
  entry.source.date = !entry.until                       ? from + " onward"
                      : month_text(*entry.until) == from ? from
                                                         : fmt::format("{} to {}", from, month_text(*entry.until));
  return entry;
}

}  // namespace

const std::vector<PriceEntry>& price_entries() {
  static const std::vector<PriceEntry> all = [] {
    const auto& files = topologies_files();
    const auto file = std::find_if(files.begin(), files.end(), [](const auto& f) { return f.path == "prices.yaml"; });
    assert(file != files.end());
    std::vector<PriceEntry> entries;
    for (const auto& item : Document::embedded(*file, "prices.yaml").at("prices").items())
      entries.push_back(read_price(item));
    return entries;
  }();
  return all;
}

std::vector<std::string> price_regions() {
  std::vector<std::string> all;
  for (const auto& entry : price_entries()) {
    for (const auto& region : entry.regions)
      if (std::find(all.begin(), all.end(), region) == all.end()) all.push_back(region);
  }
  return all;
}

}  // namespace mlsim::topologies
