// `mlsim list --format json` gives arrays of these objects in the order of the tables, SI units in the keys, null for
// what is not known; `mlsim list NAME` gives one such object.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile/profile.hpp"
#include "reports/namespace.hpp"
#include "reports/pages/lists.hpp"
#include "topologies/price/prices.hpp"
#include "topologies/system_facts.hpp"
#include "workloads/convergence/convergence_table.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::reports {

struct ListedRecipe {
  std::string benchmark;
  Recipe recipe;
  std::vector<std::string> default_of;  // families of accelerators
};
struct ListedWorkload {
  Model model;
  std::optional<std::vector<ListedRecipe>> recipes{};  // of a workload that is shown whole
};
struct ListedSystem {
  SystemFacts system;
};
struct ListedAccelerator {
  AcceleratorSpec chip;
};
struct ListedPrice {
  PriceEntry entry;
};

std::string workloads_json(std::vector<Model> models);
std::string recipes_json(const std::vector<ConvergenceTable>& tables);
std::string topologies_json(std::vector<SystemFacts> systems);
std::string accelerators_json(std::vector<AcceleratorSpec> accelerators);
/// The profiles are whole, as their files have them.
std::string profiles_json(const std::vector<Profile>& profiles);
std::string prices_json(std::vector<PriceEntry> entries);
std::string collectives_json(const std::vector<CollectiveRow>& rows);

std::string system_json(const SystemFacts& system);
std::string accelerator_json(const AcceleratorSpec& accelerator);
/// `recipes` is null where nothing is known of the model's convergence.
std::string workload_json(const Model& model, const ConvergenceTable* recipes);

}  // namespace mlsim::reports
