#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "calibrate/builtin_profiles.hpp"
#include "cli/command.hpp"
#include "cli/project.hpp"
#include "core/errors.hpp"
#include "reports/lists/accelerators_text.hpp"
#include "reports/lists/collectives_text.hpp"
#include "reports/lists/prices_text.hpp"
#include "reports/lists/profiles_text.hpp"
#include "reports/lists/recipes_text.hpp"
#include "reports/lists/topologies_text.hpp"
#include "reports/lists/workloads_text.hpp"
#include "sim/collectives/algorithms.hpp"
#include "sim/collectives/planner.hpp"
#include "topologies/accelerator_file.hpp"
#include "topologies/build_cluster.hpp"
#include "topologies/prices.hpp"
#include "workloads/convergence/convergence.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::cli {
namespace {

struct ListOptions {
  std::string what;
  std::vector<std::string> profiles;
};

std::string list_workloads() {
  std::vector<Model> models;
  for (const auto& name : model_names()) models.push_back(load_model(name));
  return workloads_text(std::move(models));
}

std::string list_recipes() {
  std::vector<ConvergenceTable> tables;
  for (const auto& benchmark : convergence_benchmarks()) tables.push_back(convergence_table(benchmark));
  return recipes_text(tables);
}

std::string list_topologies() { return topologies_text(topology_entries()); }

std::string list_accelerators() {
  std::vector<AcceleratorSpec> specs;
  for (const auto& name : accelerator_names()) specs.push_back(load_accelerator(name));
  return accelerators_text(std::move(specs));
}

std::string list_prices() { return prices_text(price_entries(), unpriced_machines()); }

// Every algorithm with the kinds it runs on one system of each sort, and its closed form there.
std::string list_collectives() {
  const Bytes payload = mebibytes(100);
  std::vector<CollectiveRow> rows;
  for (const std::string system : {"torus16x16", "mesh16x16", "dgx1-v100", "dgx-a100:nodes=4", "gce-k80"}) {
    const Cluster cluster = build_cluster(system);
    for (const auto kind : {CollectiveKind::all_reduce, CollectiveKind::all_to_all, CollectiveKind::broadcast}) {
      for (const auto& algorithm : possible_algorithms(cluster, kind)) {
        const Seconds time = plan_collective(cluster, kind, payload, fitted_links(), algorithm).closed_form;
        rows.push_back({system, kind, algorithm, time, payload / time * bus_bandwidth_factor(kind, cluster.ranks())});
      }
    }
  }
  return collectives_text(rows, payload);
}

using List = std::pair<std::string, std::function<std::string(const ListOptions&)>>;

// What takes no options.
template <std::string (*text)()>
std::string plain(const ListOptions& options) {
  if (!options.profiles.empty())
    throw InputError("--profile", fmt::format("is of no use to list {}; list profiles takes it", options.what));
  return text();
}

const std::vector<List>& lists() {
  static const std::vector<List> all{
      {"workloads", plain<list_workloads>},
      {"recipes", plain<list_recipes>},
      {"topologies", plain<list_topologies>},
      {"accelerators", plain<list_accelerators>},
      {"profiles",
       [](const ListOptions& options) { return profiles_text(profiles_with(own_profile_paths(options.profiles))); }},
      {"prices", plain<list_prices>},
      {"collectives", plain<list_collectives>}};
  return all;
}

std::vector<std::string> list_names() {
  std::vector<std::string> names;
  for (const auto& list : lists()) names.push_back(list.first);
  return names;
}

int run_list(const ListOptions& options) {
  if (options.what.empty()) throw InputError(fmt::format("list needs to know what: {}", fmt::join(list_names(), ", ")));
  for (const auto& [name, text] : lists()) {
    if (name != options.what) continue;
    write_result({}, text(options));
    return 0;
  }
  throw InputError(unknown_word("list", options.what, list_names()));
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto options = std::make_shared<ListOptions>();
  const std::string names = fmt::format("{}", fmt::join(list_names(), ", "));
  CLI::App* command = app.add_subcommand("list", "What there is: " + names);
  command->add_option("what", options->what, "One of " + names);
  command->add_option("--profile", options->profiles, "Of profiles: show this one too; may be given several times")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command->footer("Example:\n  mlsim list workloads");
  command->callback([options, &action] { action = [options] { return run_list(*options); }; });
}

}  // namespace mlsim::cli
