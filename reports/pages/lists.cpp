#include "reports/pages/lists.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/profile/rank_scaling.hpp"
#include "core/text/units_text.hpp"
#include "reports/figure_text.hpp"
#include "reports/pages/pages.hpp"

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

// Counts have three decimals up to 1000, where they are compared with published ones.
std::string gmac_text(std::int64_t macs) {
  const double value = static_cast<double>(macs) / 1e9;
  return value < 1000 ? fmt::format("{:.3f}", value) : count_text(value);
}

// Writes "256 .. 65 536", or "up to 4 096" where only a law is known.
std::string batches_text(const Recipe& recipe) {
  const std::string unit = recipe.by_accelerators ? " acc." : "";
  if (recipe.points.empty()) return fmt::format("up to {}{}", count_text(recipe.largest()), unit);
  const auto [least, most] = std::minmax_element(recipe.points.begin(), recipe.points.end(),
                                                 [](const auto& a, const auto& b) { return a.batch < b.batch; });
  if (least->batch == most->batch) return count_text(least->batch) + unit;
  return fmt::format("{} .. {}{}", count_text(least->batch), count_text(most->batch), unit);
}

// Names the families of accelerators that take the recipe where none is named.
std::string default_text(const ConvergenceTable& table, const Recipe& recipe) {
  std::vector<std::string> families;
  for (const auto& [family, name] : table.defaults)
    if (name == recipe.name) families.push_back(family);
  return fmt::format("{}", fmt::join(families, ", "));
}

// Writes "o f s": the letters of the legend that hold.
std::string layout_text(const StackTerm& term) {
  std::string text;
  const auto add = [&](bool holds, char letter) {
    if (holds) text += fmt::format("{}{}", text.empty() ? "" : " ", letter);
  };
  add(term.overlap, 'o');
  add(term.fusion, 'f');
  add(term.sharded_update, 's');
  add(term.wide_gradients, 'w');
  return text;
}

std::string environment(const Profile& profile, const std::string& key) {
  const auto found = profile.environment.find(key);
  return found == profile.environment.end() ? "" : found->second;
}

// The table has no rows where no profile measured anything.
Table measured_table(const std::vector<Profile>& profiles) {
  Table table = table_of(name_columns("measured on"), word_columns("machine"), name_columns("date"),
                         figure_columns("kernels", "laws", "probes", "collectives", "steps"));
  for (const Profile& profile : profiles) {
    const std::size_t collectives = profile.collectives.size() + profile.rank_scalings.size();
    if (profile.kernels.empty() && profile.laws.empty() && profile.probes.empty() && collectives == 0) continue;
    table.rows.push_back({profile.accelerator, profile.machine, environment(profile, "date"),
                          std::to_string(profile.kernels.size()), std::to_string(profile.laws.size()),
                          std::to_string(profile.probes.size()), std::to_string(collectives),
                          std::to_string(profile.anchors.size())});
  }
  return table;
}

Table laws_table(const std::vector<Profile>& profiles) {
  Table table = table_of(name_columns("law of", "kernels", "precision"),
                         figure_columns("threads", "fitted", "held back"), name_columns("provenance"));
  for (const Profile& profile : profiles) {
    for (const KernelLaw& law : profile.laws) {
      table.rows.push_back({profile.accelerator, ops_text(law.ops), name(law.precision), std::to_string(law.threads),
                            error_text(law.residual), error_text(law.held_back), name(law.source.provenance)});
    }
  }
  return table;
}

// Writes "2, 4": the numbers of nodes that a fit over them saw.
std::string nodes_text(const std::vector<int>& nodes) {
  std::string text;
  for (const int each : nodes) text += fmt::format("{}{}", text.empty() ? "" : ", ", each);
  return text;
}

Table curves_table(const std::vector<Profile>& profiles) {
  Table table = table_of(name_columns("collective", "by", "buffers", "machine", "ranks"),
                         figure_columns("up to", "fitted", "held back"), name_columns("source"));
  const auto add = [&](const auto& each, const Profile& profile, const std::string& ranks, const std::string& largest) {
    table.rows.push_back({name(each.kind), each.communicator, fmt::format("{} {}", each.device, name(each.precision)),
                          each.machine.empty() ? profile.accelerator : each.machine, ranks, largest,
                          error_text(each.residual), error_text(each.held_back), name(each.source.provenance)});
  };
  for (const Profile& profile : profiles) {
    for (const CollectiveCurve& curve : profile.collectives)
      add(curve, profile, fmt::format("{} x {}", curve.nodes, curve.ranks_per_node),
          to_text(curve.knots.back().payload));
    for (const RankScaling& scaling : profile.rank_scalings)
      add(scaling, profile, fmt::format("any x {} (from {})", scaling.ranks_per_node, nodes_text(scaling.nodes)),
          "any");
  }
  return table;
}

// The table lists the stacks of one accelerator.
Table stacks_table(const Profile& profile) {
  Table table = table_of(name_columns("stack", "workloads"), figure_columns("fixed", "launch", "kernel", "slowed"),
                         name_columns("layout", "provenance"));
  const auto time = [](Seconds t) { return t.value == 0 ? std::string("-") : to_text(t); };
  std::vector<StackTerm> terms = profile.stacks;
  std::stable_sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) {
    return a.stack == b.stack ? a.family < b.family : natural_less(a.stack, b.stack);
  });
  for (const auto& term : terms) {
    const bool usual = term.stack == profile.stacks.front().stack;
    table.rows.push_back({term.stack + (usual ? " *" : ""), term.family.empty() ? "any" : term.family,
                          time(term.step_overhead), time(term.dispatch), time(term.per_kernel),
                          fmt::format("{:.1f} %", 100 * term.contention), layout_text(term),
                          name(term.source.provenance)});
  }
  return table;
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
      "torus32x32:slice=16x16; slices=N joins N of them. `mlsim list NAME` shows one whole; --cloud, --accelerator, "
      "--memory and --max-price choose.");
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

Page workloads_page(std::vector<Model> models) {
  sort_naturally(models, &Model::name);
  Table table = table_of(name_columns("name"), figure_columns("parameters", "tensors", "GMAC"),
                         word_columns("title [benchmark]"));
  for (const Model& model : models)
    table.rows.push_back({model.name, count_text(static_cast<double>(model.parameters())),
                          std::to_string(model.gradient_tensors()), gmac_text(model.macs()),
                          model.title + (model.benchmark.empty() ? "" : fmt::format(" [{}]", model.benchmark))});
  return table_page(
      std::move(table),
      "Tensors are gradient tensors; GMAC are 10^9 forward multiply-accumulates per sample. A model with a benchmark "
      "has "
      "recipes and so a time to target: `mlsim list recipes`. Parameters of a model's file are set behind a colon, "
      "bert-large:sequence=128.");
}

Page recipes_page(const std::vector<ConvergenceTable>& tables) {
  Table table = table_of(name_columns("benchmark", "recipe"), word_columns("target"), name_columns("global batch"),
                         figure_columns("points"), word_columns("default of"));
  for (const ConvergenceTable& known : tables)
    for (const Recipe& recipe : known.recipes)
      table.rows.push_back({known.benchmark, recipe.name, recipe.target, batches_text(recipe),
                            recipe.points.empty() ? "law" : std::to_string(recipe.points.size()),
                            default_text(known, recipe)});
  return table_page(
      std::move(table),
      "A recipe (round, optimizer, code family) says how many samples reach the target at a batch; --set recipe= names "
      "one. acc.: known by accelerators, not by batch. The errors of these tables: `mlsim validate convergence`.");
}

Page profiles_page(const std::vector<Profile>& profiles) {
  Page page;
  for (const Table& table : {measured_table(profiles), laws_table(profiles), curves_table(profiles)})
    if (!table.rows.empty()) page.add({PageTable{table}});
  for (const Profile& profile : profiles)
    if (!profile.stacks.empty()) page.add({PageText{profile.accelerator + ":"}, PageTable{stacks_table(profile)}});
  page.add(
      {PageText{"fixed: host and framework time a step; launch: the same for each kernel that the step launches; "
                "kernel: the framework's time for each kernel; slowed: compute "
                "while ranks exchange gradients. Layout: o exchange overlaps the backward pass, f elementwise "
                "operators are fused, s sharded update, w gradients exchanged in fp32. *: the accelerator's usual "
                "stack."}});
  return page;
}

}  // namespace mlsim::reports
