#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "cli/list_tables.hpp"
#include "core/units_text.hpp"
#include "reports/wrapped_text.hpp"
#include "sim/collectives/planner.hpp"
#include "topologies/accelerator_file.hpp"
#include "topologies/build_cluster.hpp"
#include "topologies/price_list.hpp"
#include "topologies/prices.hpp"

namespace mlsim::cli {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// The number at `at`, which is moved behind it.
std::uint64_t number_at(const std::string& text, std::size_t& at) {
  std::uint64_t value = 0;
  const auto end = std::from_chars(text.data() + at, text.data() + text.size(), value).ptr;
  at = static_cast<std::size_t>(end - text.data());
  return value;
}

// In TFLOP/s; "-" where the chip lacks the format.
std::string peak_text(const AcceleratorSpec& spec, Precision format) {
  const auto found = spec.peak.find(format);
  return found == spec.peak.end() ? "-" : fmt::format("{:.4g}", found->second.value.value / 1e12);
}

}  // namespace

std::string with_note(const TextTable& table, const std::string& note) {
  std::string text = to_text(table) + "\n";
  for (const auto& line : wrapped(note, kPageWidth)) text += line + "\n";
  return text;
}

bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto left = number_at(a, i), right = number_at(b, j);
      if (left != right) return left < right;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

std::string topologies_text() {
  auto entries = topology_entries();
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return natural_less(a.name, b.name); });
  TextTable table{{{"name", Align::left, true},
                   {"accelerators", Align::right, true},
                   {"accelerator", Align::left, true},
                   {"what it is"}},
                  {}};
  for (const auto& entry : entries) {
    table.rows.push_back({entry.name, count_text(entry.accelerators), entry.accelerator, entry.description});
  }
  return with_note(table,
                   "= stands before the topology that a published name means. Options follow a colon: nodes=N makes a "
                   "cluster of a machine, dgx-a100:nodes=8, and slice=XxY cuts a grid, torus32x32:slice=16x16.");
}

std::string accelerators_text() {
  auto names = accelerator_names();
  std::sort(names.begin(), names.end(), natural_less);
  constexpr std::array kFormats{Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16, Precision::fp8};
  TextTable table{{{"name", Align::left, true}}, {}};
  for (const auto format : kFormats) table.columns.push_back({std::string(name(format)), Align::right, true});
  table.columns.push_back({"SMs", Align::right, true});
  table.columns.push_back({"memory", Align::right, true});
  table.columns.push_back({"bandwidth", Align::right, true});
  table.columns.push_back({"title"});
  for (const auto& accelerator : names) {
    const AcceleratorSpec spec = load_accelerator(accelerator);
    std::vector<std::string> row{accelerator};
    for (const auto format : kFormats) row.push_back(peak_text(spec, format));
    row.push_back(spec.multiprocessors.value > 0 ? std::to_string(spec.multiprocessors.value) : "-");
    row.insert(row.end(), {to_text(spec.memory.value), to_text(spec.memory_bandwidth.value), spec.title});
    table.rows.push_back(std::move(row));
  }
  return with_note(
      table,
      "Peak rates by format are in TFLOP/s, without sparsity, from data sheets. SMs are the multiprocessors "
      "of a GPU (compute units of AMD's).");
}

std::string prices_text() {
  auto entries = price_entries();
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return natural_less(a.resource, b.resource); });
  TextTable table{{{"resource", Align::left, true},
                   {"per", Align::left, true},
                   {"USD/h", Align::right, true},
                   {"preemptible", Align::right, true},
                   {"regions"},
                   {"from", Align::left, true},
                   {"until", Align::left, true},
                   {"provenance", Align::left, true}},
                  {}};
  const auto price = [](const std::optional<UsdPerSecond>& p) {
    return p ? fmt::format("{:.6g}", p->value * 3600) : std::string("-");
  };
  for (const auto& entry : entries) {
    table.rows.push_back({entry.resource, entry.unit, price(entry.on_demand), price(entry.preemptible),
                          fmt::format("{}", fmt::join(entry.regions, ", ")), month_text(entry.from),
                          entry.until ? month_text(*entry.until) : std::string("-"),
                          std::string(name(entry.source.provenance))});
  }
  return with_note(table,
                   "The first region of a resource is its home, which counts unless --set price_region= names another; "
                   "--price-date takes the price of a date.");
}

std::string collectives_text() {
  TextTable table{
      {{"system"}, {"collective"}, {"algorithm"}, {"100 MiB", Align::right}, {"bus bandwidth", Align::right}}, {}};
  for (const std::string system : {"torus16x16", "mesh16x16", "dgx1-v100", "dgx-a100:nodes=4", "gce-k80"}) {
    const Cluster cluster = build_cluster(system);
    const Bytes payload = mebibytes(100);
    for (const auto kind : {CollectiveKind::all_reduce, CollectiveKind::all_to_all, CollectiveKind::broadcast}) {
      for (const auto& algorithm : possible_algorithms(cluster, kind)) {
        const auto plan = plan_collective(cluster, kind, payload, fitted_links(), algorithm);
        const BytesPerSecond bus = payload / plan.closed_form * bus_bandwidth_factor(kind, cluster.ranks());
        table.rows.push_back({system, std::string(name(kind)), algorithm, to_text(plan.closed_form), to_text(bus)});
      }
    }
  }
  return to_text(table);
}

}  // namespace mlsim::cli
