#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "calibrate/builtin_profiles.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/command.hpp"
#include "cli/program/project.hpp"
#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "core/text/units_text.hpp"
#include "reports/pages/lists.hpp"
#include "reports/pages/lists_json.hpp"
#include "sim/collectives/algorithms.hpp"
#include "sim/collectives/planner.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "topologies/machine/accelerator_file.hpp"
#include "topologies/machine/machine_file.hpp"
#include "topologies/machine/published_names.hpp"
#include "topologies/machine/topology_name.hpp"
#include "topologies/price/prices.hpp"
#include "topologies/system_facts.hpp"
#include "workloads/convergence/convergence.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::cli {
namespace {

struct ListOptions {
  std::string what, format = "text", cloud, accelerator, memory, max_price;
  std::vector<std::string> profiles;
};

std::vector<Model> all_models() {
  std::vector<Model> models;
  for (const auto& name : model_names()) models.push_back(load_model(name));
  return models;
}

std::string list_workloads(bool json) {
  return json ? workloads_json(all_models()) : terminal_text(workloads_page(all_models()));
}

std::string list_recipes(bool json) {
  std::vector<ConvergenceTable> tables;
  for (const auto& benchmark : convergence_benchmarks()) tables.push_back(convergence_table(benchmark));
  return json ? recipes_json(tables) : terminal_text(recipes_page(tables));
}

std::string list_accelerators(bool json) {
  std::vector<AcceleratorSpec> specs;
  for (const auto& name : accelerator_names()) specs.push_back(load_accelerator(name));
  return json ? accelerators_json(std::move(specs)) : terminal_text(accelerators_page(std::move(specs)));
}

std::string list_prices(bool json) {
  return json ? prices_json(price_entries()) : terminal_text(prices_page(price_entries(), unpriced_machines()));
}

std::string list_profiles(const ListOptions& options) {
  const auto profiles = profiles_with(own_profile_paths(options.profiles));
  return options.format == "json" ? profiles_json(profiles) : terminal_text(profiles_page(profiles));
}

// Finds the systems that the options choose. Throws InputError naming the option that is wrong.
std::vector<SystemFacts> chosen_systems(const ListOptions& options) {
  if (!options.cloud.empty()) check_word("--cloud", options.cloud, cloud_names());
  if (!options.accelerator.empty()) check_word("--accelerator", options.accelerator, accelerator_names());
  std::optional<Bytes> memory;
  if (!options.memory.empty()) memory = parsed("--memory", options.memory, parse_quantity<Bytes>);
  std::optional<UsdPerSecond> most;
  if (!options.max_price.empty()) most = parsed("--max-price", options.max_price, parse_quantity<UsdPerSecond>);
  std::vector<SystemFacts> systems = all_system_facts();
  std::erase_if(systems, [&](const SystemFacts& system) {
    return (!options.cloud.empty() && system.cloud != options.cloud) ||
           (!options.accelerator.empty() && system.accelerator.name != options.accelerator) ||
           (memory && system.accelerator.memory.value < *memory) ||
           (most && !(system.price && system.price->value <= *most));
  });
  return systems;
}

std::string list_topologies(const ListOptions& options) {
  std::vector<SystemFacts> systems = chosen_systems(options);
  return options.format == "json" ? topologies_json(std::move(systems))
                                  : terminal_text(topologies_page(std::move(systems)));
}

// Lists every algorithm with the kinds it runs on one system of each sort, and its closed form there.
std::string list_collectives(bool json) {
  const Bytes payload = mebibytes(100);
  std::vector<CollectiveRow> rows;
  for (const std::string system : {"torus16x16", "mesh16x16", "dgx1-v100", "dgx-a100:nodes=4", "gce-k80"}) {
    const Cluster cluster = build_cluster(system);
    for (const auto kind : {CollectiveKind::all_reduce, CollectiveKind::all_to_all, CollectiveKind::broadcast}) {
      for (const auto& algorithm : possible_algorithms(cluster, kind)) {
        const Seconds time = plan_collective(cluster, kind, payload, fitted_links(), algorithm).closed_form;
        rows.push_back(
            {system, kind, algorithm, payload, time, payload / time * bus_bandwidth_factor(kind, cluster.ranks())});
      }
    }
  }
  return json ? collectives_json(rows) : terminal_text(collectives_page(rows, payload));
}

using List = std::pair<std::string, std::function<std::string(const ListOptions&)>>;

template <std::string (*text)(bool json)>
std::string plain(const ListOptions& options) {
  return text(options.format == "json");
}

const std::vector<List>& lists() {
  static const std::vector<List> all{
      {"workloads", plain<list_workloads>},       {"recipes", plain<list_recipes>}, {"topologies", list_topologies},
      {"accelerators", plain<list_accelerators>}, {"profiles", list_profiles},      {"prices", plain<list_prices>},
      {"collectives", plain<list_collectives>}};
  return all;
}

std::vector<std::string> list_names() {
  std::vector<std::string> names;
  for (const auto& list : lists()) names.push_back(list.first);
  return names;
}

// An option that would choose nothing is refused.
void check_use(const ListOptions& options) {
  const auto only = [&](const char* option, bool given, const char* list) {
    if (given && options.what != list)
      throw InputError(option, fmt::format("is of no use to list {}; list {} takes it", options.what, list));
  };
  only("--profile", !options.profiles.empty(), "profiles");
  only("--cloud", !options.cloud.empty(), "topologies");
  only("--accelerator", !options.accelerator.empty(), "topologies");
  only("--memory", !options.memory.empty(), "topologies");
  only("--max-price", !options.max_price.empty(), "topologies");
}

const ConvergenceTable* recipes_of_model(const Model& model) {
  const auto known = convergence_benchmarks();
  const bool has = std::find(known.begin(), known.end(), model.benchmark) != known.end();
  return has ? &convergence_table(model.benchmark) : nullptr;
}

std::vector<std::string> topology_names() {
  std::vector<std::string> names;
  for (const TopologyEntry& entry : topology_entries()) names.push_back(entry.name);
  return names;
}

[[noreturn]] void refuse_name(const std::string& word) {
  std::vector<std::string> all = list_names();
  for (const auto& names : {topology_names(), model_names(), accelerator_names()})
    all.insert(all.end(), names.begin(), names.end());
  throw InputError(unknown_word("list, system, workload or accelerator", word, all));
}

// Shows one workload, accelerator or system whole; options may follow its name, as predict takes them.
std::string list_one(const std::string& name, bool json) {
  if (names_model(name)) {
    const Model model = load_model(name);
    const ConvergenceTable* recipes = recipes_of_model(model);
    return json ? workload_json(model, recipes) : terminal_text(workload_page(model, recipes));
  }
  if (name_among(accelerator_names(), name)) {
    const AcceleratorSpec spec = load_accelerator(name);
    return json ? accelerator_json(spec) : terminal_text(accelerator_page(spec));
  }
  const std::string head = resolved_name(parse_topology_name(name)).head;
  if (!begins_grid(head) && catalogue_machine(head) == nullptr) refuse_name(name);
  const SystemFacts system = system_facts(name);
  return json ? system_json(system) : terminal_text(system_page(system));
}

int run_list(const ListOptions& options) {
  check_word("--format", options.format, {"text", "json"});
  if (options.what.empty())
    throw InputError(
        fmt::format("list needs to know what: {}, or the name of one thing", fmt::join(list_names(), ", ")));
  check_use(options);
  for (const auto& [name, text] : lists()) {
    if (name != options.what) continue;
    write_result({}, text(options));
    return 0;
  }
  write_result({}, list_one(options.what, options.format == "json"));
  return 0;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto options = std::make_shared<ListOptions>();
  const std::string names = fmt::format("{}", fmt::join(list_names(), ", "));
  CLI::App* command =
      app.add_subcommand("list", "What there is: " + names + "; or one system, workload or accelerator");
  command->add_option("what", options->what,
                      "One of " + names + ", or the name of one system, workload or accelerator, which is shown whole");
  command->add_option("--format", options->format, "text (default) or json")->type_name("NAME");
  command->add_option("--profile", options->profiles, "Of profiles: show this one too; may be given several times")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command->add_option("--cloud", options->cloud, fmt::format("Of topologies: {}", fmt::join(cloud_names(), ", ")))
      ->type_name("NAME");
  command->add_option("--accelerator", options->accelerator, "Of topologies: those with this accelerator")
      ->type_name("NAME");
  command->add_option("--memory", options->memory, "Of topologies: at least this memory of an accelerator, 40GiB")
      ->type_name("SIZE");
  command->add_option("--max-price", options->max_price, "Of topologies: at most this price of the system, 50USD/h")
      ->type_name("PRICE");
  command->footer("Example:\n  mlsim list topologies --cloud aws --max-price 40USD/h");
  command->callback([options, &action] { action = [options] { return run_list(*options); }; });
}

}  // namespace mlsim::cli
