#include "reports/pages/lists_json.hpp"

#include "core/profile/provenance_json.hpp"
#include "core/text/json_schema_writer.hpp"
#include "reports/figure_text.hpp"

namespace mlsim::reports {
namespace {

// The catalogue holds 0 where nothing is known.
template <class Q>
std::optional<Q> known(const Q& value) {
  return value > Q() ? std::optional(value) : std::nullopt;
}

std::optional<double> per_hour(const std::optional<UsdPerSecond>& price) {
  return price ? std::optional(price->value * 3600) : std::nullopt;
}

struct ListedSystemPrice {
  SystemPrice price{};
};

template <class Io>
void describe(Io& io, const ListedSystemPrice& listed) {
  io.field("usd_per_h", listed.price.value.value * 3600, kNotNegative);
  io.field("what", listed.price.what.text);
  io.field("source", listed.price.source);
}

template <class Listed, class T>
std::string list_json(std::vector<T> items, std::string T::*key) {
  sort_naturally(items, key);
  std::vector<Listed> list;
  for (T& item : items) list.push_back({std::move(item)});
  return JsonWriter::text("list", list);
}

void add_recipes(std::vector<ListedRecipe>& list, const ConvergenceTable& table) {
  for (const Recipe& recipe : table.recipes) {
    ListedRecipe& listed = list.emplace_back(ListedRecipe{table.benchmark, recipe, {}});
    for (const auto& [family, its] : table.defaults)
      if (its == recipe.name) listed.default_of.push_back(family);
  }
}

struct ListedPoint {
  double batch = 0, epochs = 0;
};

template <class Io>
void describe(Io& io, const ListedPoint& point) {
  io.field("batch", point.batch, kPositive);
  io.field("epochs", point.epochs, kPositive);
}

}  // namespace

template <class Io>
void describe(Io& io, const ListedRecipe& listed) {
  const Recipe& recipe = listed.recipe;
  std::vector<ListedPoint> points;
  for (const ConvergencePoint& point : recipe.points) points.push_back({point.batch, point.epochs});
  io.field("benchmark", listed.benchmark);
  io.field("name", recipe.name);
  io.field("target", recipe.target);
  io.field("by_accelerators", recipe.by_accelerators);
  io.field("largest_batch", recipe.largest(), kNotNegative);
  io.field("points", points);
  io.field("default_of", listed.default_of);
}

template <class Io>
void describe(Io& io, const ListedWorkload& listed) {
  const Model& model = listed.model;
  io.field("name", model.name);
  io.field("title", model.title);
  io.word("family", model.family);
  io.field("parameters", model.parameters(), kNotNegative);
  io.field("gradient_tensors", model.gradient_tensors(), kNotNegative);
  io.field("macs_per_sample", model.macs(), kNotNegative);
  io.field("sample", model.sample);
  io.field("dataset", model.dataset.name);
  io.field("train_samples", model.dataset.train_samples, kNotNegative);
  io.field("validation_samples", model.dataset.validation_samples, kNotNegative);
  io.field("settings", model.parameters_of_file);
  io.field("benchmark", model.benchmark);
  io.field("target", model.target);
  io.field_if_any("recipes", listed.recipes);
}

template <class Io>
void describe(Io& io, const ListedSystem& listed) {
  const SystemFacts& system = listed.system;
  const auto& host = system.host;
  io.field("name", system.name);
  io.field("description", system.description);
  io.field("cloud", system.cloud);
  io.field("accelerator", system.accelerator.name);
  io.field("accelerators", system.accelerators, kNotNegative);
  io.field("nodes", system.nodes, kNotNegative);
  io.field("memory_bytes", system.accelerator.memory.value, kNotNegative);
  io.field("inside_bytes_per_s", known(system.inside), kPositive);
  io.field("network_bytes_per_s", known(system.network), kPositive);
  io.field("host_threads", host ? known(host->threads.value) : std::nullopt, kPositive);
  io.field("host_memory_bytes", host && host->memory ? known(host->memory->value) : std::nullopt, kPositive);
  io.field("price", system.price ? std::optional(ListedSystemPrice{*system.price}) : std::nullopt);
}

template <class Io>
void describe(Io& io, const ListedAccelerator& listed) {
  const AcceleratorSpec& chip = listed.chip;
  std::map<Precision, FlopPerSecond> peak;
  for (const auto& [format, rate] : chip.peak) peak[format] = rate.value;
  io.field("name", chip.name);
  io.field("title", chip.title);
  io.word("family", chip.family);
  io.field("peak_flop_per_s", peak);
  io.field("multiprocessors", known(chip.multiprocessors.value), NumberRange{1});
  io.field("memory_bytes", chip.memory.value, kNotNegative);
  io.field("memory_bytes_per_s", chip.memory_bandwidth.value, kNotNegative);
  io.field("link_bytes_per_s", known(chip.grid_link_bandwidth.value), kPositive);
  io.field("source", chip.memory.source);
}

template <class Io>
void describe(Io& io, const ListedPrice& listed) {
  const PriceEntry& entry = listed.entry;
  io.field("resource", entry.resource);
  io.field("per", entry.unit);
  io.field("on_demand_usd_per_h", per_hour(entry.on_demand), kNotNegative);
  io.field("preemptible_usd_per_h", per_hour(entry.preemptible), kNotNegative);
  io.field("regions", entry.regions);
  io.field("from", month_text(entry.from));
  io.field("until", entry.until ? std::optional(month_text(*entry.until)) : std::nullopt);
  io.field("source", entry.source);
}

template <class Io>
void describe(Io& io, const CollectiveRow& row) {
  io.field("system", row.system);
  io.word("kind", row.kind);
  io.field("algorithm", row.algorithm);
  io.field("payload_bytes", row.payload, kNotNegative);
  io.field("time_s", row.time, kNotNegative);
  io.field("bus_bytes_per_s", row.bus_bandwidth, kNotNegative);
}

std::string workloads_json(std::vector<Model> models) {
  return list_json<ListedWorkload>(std::move(models), &Model::name);
}

std::string recipes_json(const std::vector<ConvergenceTable>& tables) {
  std::vector<ListedRecipe> list;
  for (const ConvergenceTable& table : tables) add_recipes(list, table);
  return JsonWriter::text("list", list);
}

std::string topologies_json(std::vector<SystemFacts> systems) {
  return list_json<ListedSystem>(std::move(systems), &SystemFacts::name);
}

std::string accelerators_json(std::vector<AcceleratorSpec> accelerators) {
  return list_json<ListedAccelerator>(std::move(accelerators), &AcceleratorSpec::name);
}

std::string profiles_json(const std::vector<Profile>& profiles) { return JsonWriter::text("list", profiles); }

std::string prices_json(std::vector<PriceEntry> entries) {
  return list_json<ListedPrice>(std::move(entries), &PriceEntry::resource);
}

std::string collectives_json(const std::vector<CollectiveRow>& rows) { return JsonWriter::text("list", rows); }

std::string system_json(const SystemFacts& system) { return JsonWriter::text("system", ListedSystem{system}); }

std::string accelerator_json(const AcceleratorSpec& accelerator) {
  return JsonWriter::text("accelerator", ListedAccelerator{accelerator});
}

std::string workload_json(const Model& model, const ConvergenceTable* recipes) {
  ListedWorkload listed{model, std::vector<ListedRecipe>()};
  if (recipes != nullptr) add_recipes(*listed.recipes, *recipes);
  return JsonWriter::text("workload", listed);
}

}  // namespace mlsim::reports

template std::string mlsim::json_schema<mlsim::reports::ListedRecipe>();
template std::string mlsim::json_schema<mlsim::reports::ListedWorkload>();
template std::string mlsim::json_schema<mlsim::reports::ListedSystem>();
template std::string mlsim::json_schema<mlsim::reports::ListedAccelerator>();
template std::string mlsim::json_schema<mlsim::reports::ListedPrice>();
template std::string mlsim::json_schema<mlsim::reports::CollectiveRow>();
