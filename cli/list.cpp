#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <map>
#include <memory>

#include "calibrate/builtin_profiles.hpp"
#include "cli/command.hpp"
#include "core/errors.hpp"
#include "core/units_text.hpp"
#include "reports/text_table.hpp"
#include "sim/collectives/planner.hpp"
#include "topologies/catalogue.hpp"
#include "topologies/prices.hpp"
#include "workloads/convergence.hpp"
#include "workloads/model.hpp"

namespace mlsim {
namespace {

TextTable topologies() {
  TextTable table{{{"name"}, {"accelerators", Align::right}, {"accelerator"}, {"what it is"}}, {}};
  for (const auto& entry : topology_entries()) {
    table.rows.push_back({entry.name, count_text(entry.accelerators), entry.accelerator, entry.description});
  }
  return table;
}

TextTable workloads() {
  TextTable table{{{"name"},
                   {"parameters", Align::right},
                   {"tensors", Align::right},
                   {"GMAC", Align::right},
                   {"recipes"},
                   {"what it is"}},
                  {}};
  for (const auto& name : model_names()) {
    const Model model = load_model(name);
    std::string known;
    if (!model.benchmark.empty()) {
      for (const auto& recipe : recipes(model.benchmark)) known += (known.empty() ? "" : ", ") + recipe.name;
    }
    table.rows.push_back(
        {name, count_text(static_cast<double>(model.parameters())), std::to_string(model.gradient_tensors()),
         fmt::format("{:.3f}", static_cast<double>(model.macs()) / 1e9), known.empty() ? "-" : known, model.title});
  }
  return table;
}

TextTable accelerators() {
  TextTable table{{{"name"}, {"peak"}, {"memory", Align::right}, {"bandwidth", Align::right}, {"title"}}, {}};
  for (const auto& name : accelerator_names()) {
    const AcceleratorSpec spec = load_accelerator(name);
    std::string peaks;
    for (const auto& [format, peak] : spec.peak) {
      peaks += fmt::format("{}{} {}", peaks.empty() ? "" : ", ", mlsim::name(format), to_text(peak.value));
    }
    table.rows.push_back({name, peaks, to_text(spec.memory.value), to_text(spec.memory_bandwidth.value), spec.title});
  }
  return table;
}

TextTable profiles() {
  TextTable table{{{"accelerator"},
                   {"stack"},
                   {"fixed step", Align::right},
                   {"contention", Align::right},
                   {"overlap"},
                   {"sharded update"},
                   {"provenance"}},
                  {}};
  const auto answer = [](bool yes) { return yes ? "yes" : "no"; };
  for (const auto& profile : builtin_profiles()) {
    for (const auto& term : profile.stacks) {
      table.rows.push_back({profile.accelerator, term.stack, to_text(term.step_overhead),
                            fmt::format("{:.1f} %", 100 * term.contention), answer(term.overlap),
                            answer(term.sharded_update), std::string(name(term.source.provenance))});
    }
  }
  return table;
}

TextTable prices() {
  TextTable table{
      {{"resource"}, {"per"}, {"on demand", Align::right}, {"preemptible", Align::right}, {"region"}, {"date"}}, {}};
  const auto price = [](const std::optional<UsdPerSecond>& p) { return p ? to_text(*p) : std::string("-"); };
  for (const auto& entry : price_entries()) {
    table.rows.push_back({entry.resource, entry.unit, price(entry.on_demand), price(entry.preemptible), entry.region,
                          entry.source.date});
  }
  return table;
}

// Every algorithm with the kinds it runs on one system of each sort, and its closed form there.
TextTable collectives() {
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
  return table;
}

const std::map<std::string, std::function<TextTable()>>& lists() {
  static const std::map<std::string, std::function<TextTable()>> all{
      {"topologies", topologies}, {"workloads", workloads}, {"accelerators", accelerators},
      {"profiles", profiles},     {"prices", prices},       {"collectives", collectives}};
  return all;
}

int run_list(const std::string& what) {
  std::vector<std::string> known;
  for (const auto& [name, list] : lists()) known.push_back(name);
  if (what.empty()) throw InputError(fmt::format("list needs to know what: {}", fmt::join(known, ", ")));
  const auto found = lists().find(what);
  if (found == lists().end()) throw InputError(unknown_word("list", what, known));
  write_result({}, to_text(found->second()));
  return 0;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto what = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("list", "What there is: topologies, workloads, accelerators, profiles, prices, collectives");
  command->add_option("what", *what, "topologies, workloads, accelerators, profiles, prices or collectives");
  command->footer("Example:\n  mlsim list topologies");
  command->callback([what, &action] { action = [what] { return run_list(*what); }; });
}

}  // namespace mlsim
