// These are the tables of systems, the chips in them, what they cost, and their collectives.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/text/units_text.hpp"
#include "reports/figure_text.hpp"
#include "reports/pages/lists.hpp"

namespace mlsim::reports {
namespace {

// Writes the peak in TFLOP/s; "-" where the chip lacks the format.
std::string peak_text(const AcceleratorSpec& spec, Precision format) {
  const auto found = spec.peak.find(format);
  return found == spec.peak.end() ? "-" : fmt::format("{:.4g}", found->second.value.value / 1e12);
}

std::string hourly_text(const std::optional<UsdPerSecond>& price) {
  return price ? fmt::format("{:.6g}", price->value * 3600) : "-";
}

}  // namespace

Page topologies_page(std::vector<SystemFacts> systems) {
  sort_naturally(systems, &SystemFacts::name);
  Table table = table_of(name_columns("name"), figure_columns("chips"), name_columns("accelerator"),
                         figure_columns("memory", "network", "USD/h"), word_columns("what it is"));
  for (const SystemFacts& system : systems)
    table.rows.push_back(
        {system.name, count_text(system.accelerators), system.accelerator.name,
         to_text(system.accelerator.memory.value), system.network.value > 0 ? to_text(system.network) : "-",
         system.price ? fmt::format("{:.4g}", system.price->value.value * 3600) : "-", system.description});
  return table_page(
      std::move(table),
      "memory: of one accelerator; network: of one node, all its adapters; USD/h: of the whole system, on demand, the "
      "newest price on record (mlsim list prices). = stands before the topology that a published name means. Options "
      "follow a colon: nodes=N makes a cluster of a machine, dgx-a100:nodes=8, and slice=XxY cuts a grid, "
      "torus32x32:slice=16x16. `mlsim list NAME` shows one whole; --cloud, --accelerator, --memory and --max-price "
      "choose.");
}

Page accelerators_page(std::vector<AcceleratorSpec> accelerators) {
  sort_naturally(accelerators, &AcceleratorSpec::name);
  constexpr std::array kFormats{Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16, Precision::fp8};
  Table table = table_of(name_columns("name"));
  for (const auto format : kFormats) table.columns.push_back(figure_column(std::string(name(format))));
  for (const char* heading : {"SMs", "memory", "bandwidth"}) table.columns.push_back(figure_column(heading));
  table.columns.push_back({"title"});
  for (const AcceleratorSpec& spec : accelerators) {
    TableCells& row = table.rows.emplace_back(TableCells{spec.name});
    for (const auto format : kFormats) row.push_back(peak_text(spec, format));
    row.push_back(spec.multiprocessors.value > 0 ? std::to_string(spec.multiprocessors.value) : "-");
    row.insert(row.end(), {to_text(spec.memory.value), to_text(spec.memory_bandwidth.value), spec.title});
  }
  return table_page(
      std::move(table),
      "Peak rates by format are in TFLOP/s, without sparsity, from data sheets. SMs are the multiprocessors of a GPU "
      "(compute units of AMD's).");
}

Page prices_page(std::vector<PriceEntry> entries, std::vector<std::string> unpriced) {
  sort_naturally(entries, &PriceEntry::resource);
  Table table = table_of(name_columns("resource", "per"), figure_columns("USD/h", "preemptible"),
                         word_columns("regions"), name_columns("from", "until", "provenance"));
  for (const PriceEntry& entry : entries)
    table.rows.push_back({entry.resource, entry.unit, hourly_text(entry.on_demand), hourly_text(entry.preemptible),
                          fmt::format("{}", fmt::join(entry.regions, ", ")), month_text(entry.from),
                          entry.until ? month_text(*entry.until) : "-", name(entry.source.provenance)});
  std::sort(unpriced.begin(), unpriced.end(), natural_less);
  return table_page(std::move(table),
                    fmt::format("The first region of a resource is its home, which counts unless --set price_region= "
                                "names another; --price-date "
                                "takes the price of a date, --price and --prices your own. No public price: {}.",
                                fmt::join(unpriced, ", ")));
}

Page collectives_page(const std::vector<CollectiveRow>& rows, Bytes payload) {
  Table table{
      "",
      "",
      {{"system"}, {"collective"}, {"algorithm"}, figure_column(to_text(payload)), figure_column("bus bandwidth")}};
  for (const CollectiveRow& row : rows)
    table.rows.push_back({row.system, name(row.kind), row.algorithm, to_text(row.time), to_text(row.bus_bandwidth)});
  return table_page(std::move(table));
}

}  // namespace mlsim::reports
