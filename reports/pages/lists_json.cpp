#include "reports/pages/lists_json.hpp"

#include <nlohmann/json.hpp>
#include <optional>

#include "reports/natural_order.hpp"

namespace mlsim::reports {
namespace {

using ListJson = nlohmann::ordered_json;

template <class T, class Object>
std::string json_list(const std::vector<T>& items, Object object) {
  ListJson list = ListJson::array();
  for (const T& item : items) list.push_back(object(item));
  return list.dump(2) + "\n";
}

// Gives null for what is not known, which the catalogue holds as 0.
ListJson known(double value) { return value > 0 ? ListJson(value) : ListJson(); }

ListJson json_of(const Source& source) {
  return {{"provenance", name(source.provenance)}, {"source", source.source}, {"date", source.date}};
}

ListJson json_of(const Model& model) {
  return {{"name", model.name},
          {"title", model.title},
          {"family", name(model.family)},
          {"parameters", model.parameters()},
          {"gradient_tensors", model.gradient_tensors()},
          {"macs_per_sample", model.macs()},
          {"sample", model.sample},
          {"dataset", model.dataset.name},
          {"train_samples", model.dataset.train_samples},
          {"validation_samples", model.dataset.validation_samples},
          {"settings", model.parameters_of_file},
          {"benchmark", model.benchmark},
          {"target", model.target}};
}

ListJson json_of(const ConvergenceTable& table, const Recipe& recipe) {
  ListJson points = ListJson::array(), defaults = ListJson::array();
  for (const auto& point : recipe.points) points.push_back({{"batch", point.batch}, {"epochs", point.epochs}});
  for (const auto& [family, its] : table.defaults)
    if (its == recipe.name) defaults.push_back(family);
  return {{"benchmark", table.benchmark},      {"name", recipe.name},
          {"target", recipe.target},           {"by_accelerators", recipe.by_accelerators},
          {"largest_batch", recipe.largest()}, {"points", std::move(points)},
          {"default_of", std::move(defaults)}};
}

ListJson recipes_of(const ConvergenceTable& table) {
  ListJson list = ListJson::array();
  for (const Recipe& recipe : table.recipes) list.push_back(json_of(table, recipe));
  return list;
}

ListJson json_of(const SystemFacts& system) {
  ListJson price;
  if (system.price)
    price = {{"usd_per_h", system.price->value.value * 3600},
             {"what", system.price->what.text},
             {"source", json_of(system.price->source)}};
  return {
      {"name", system.name},
      {"description", system.description},
      {"cloud", system.cloud},
      {"accelerator", system.accelerator.name},
      {"accelerators", system.accelerators},
      {"nodes", system.nodes},
      {"memory_bytes", system.accelerator.memory.value.value},
      {"inside_bytes_per_s", known(system.inside.value)},
      {"network_bytes_per_s", known(system.network.value)},
      {"host_threads", system.host ? known(system.host->threads.value) : ListJson()},
      {"host_memory_bytes", system.host && system.host->memory ? known(system.host->memory->value.value) : ListJson()},
      {"price", std::move(price)}};
}

ListJson json_of(const AcceleratorSpec& chip) {
  ListJson peak = ListJson::object();
  for (const auto& [format, rate] : chip.peak) peak[std::string(name(format))] = rate.value.value;
  return {{"name", chip.name},
          {"title", chip.title},
          {"family", name(chip.family)},
          {"peak_flop_per_s", std::move(peak)},
          {"multiprocessors", known(chip.multiprocessors.value)},
          {"memory_bytes", chip.memory.value.value},
          {"memory_bytes_per_s", chip.memory_bandwidth.value.value},
          {"link_bytes_per_s", known(chip.grid_link_bandwidth.value.value)},
          {"source", json_of(chip.memory.source)}};
}

ListJson json_of(const PriceEntry& entry) {
  const auto per_hour = [](const std::optional<UsdPerSecond>& price) {
    return price ? ListJson(price->value * 3600) : ListJson();
  };
  return {{"resource", entry.resource},
          {"per", entry.unit},
          {"on_demand_usd_per_h", per_hour(entry.on_demand)},
          {"preemptible_usd_per_h", per_hour(entry.preemptible)},
          {"regions", entry.regions},
          {"from", month_text(entry.from)},
          {"until", entry.until ? ListJson(month_text(*entry.until)) : ListJson()},
          {"source", json_of(entry.source)}};
}

}  // namespace

std::string workloads_json(std::vector<Model> models) {
  sort_naturally(models, &Model::name);
  return json_list(models, [](const Model& model) { return json_of(model); });
}

std::string recipes_json(const std::vector<ConvergenceTable>& tables) {
  ListJson list = ListJson::array();
  for (const ConvergenceTable& table : tables)
    for (ListJson& recipe : recipes_of(table)) list.push_back(std::move(recipe));
  return list.dump(2) + "\n";
}

std::string topologies_json(std::vector<SystemFacts> systems) {
  sort_naturally(systems, &SystemFacts::name);
  return json_list(systems, [](const SystemFacts& system) { return json_of(system); });
}

std::string accelerators_json(std::vector<AcceleratorSpec> accelerators) {
  sort_naturally(accelerators, &AcceleratorSpec::name);
  return json_list(accelerators, [](const AcceleratorSpec& chip) { return json_of(chip); });
}

std::string profiles_json(const std::vector<Profile>& profiles) {
  return json_list(profiles, [](const Profile& profile) { return ListJson::parse(to_json(profile)); });
}

std::string prices_json(std::vector<PriceEntry> entries) {
  sort_naturally(entries, &PriceEntry::resource);
  return json_list(entries, [](const PriceEntry& entry) { return json_of(entry); });
}

std::string collectives_json(const std::vector<CollectiveRow>& rows, Bytes payload) {
  return json_list(rows, [&](const CollectiveRow& row) {
    return ListJson{{"system", row.system},       {"kind", name(row.kind)},
                    {"algorithm", row.algorithm}, {"payload_bytes", payload.value},
                    {"time_s", row.time.value},   {"bus_bytes_per_s", row.bus_bandwidth.value}};
  });
}

std::string system_json(const SystemFacts& system) { return json_of(system).dump(2) + "\n"; }

std::string accelerator_json(const AcceleratorSpec& accelerator) { return json_of(accelerator).dump(2) + "\n"; }

std::string workload_json(const Model& model, const ConvergenceTable* recipes) {
  ListJson json = json_of(model);
  json["recipes"] = recipes == nullptr ? ListJson::array() : recipes_of(*recipes);
  return json.dump(2) + "\n";
}

}  // namespace mlsim::reports
