// `mlsim list` shows these pages: tables of all that it lists, and one system, accelerator or workload whole.
#pragma once

#include <string>
#include <vector>

#include "core/profile/collective.hpp"
#include "core/profile/profile.hpp"
#include "core/units.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "topologies/price/prices.hpp"
#include "topologies/system_facts.hpp"
#include "workloads/convergence/convergence_table.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::reports {

/// Lists machines, grids and published names, in natural order.
Page topologies_page(std::vector<SystemFacts> systems);
/// Lists what data sheets say of each accelerator, in natural order.
Page accelerators_page(std::vector<AcceleratorSpec> accelerators);
/// The page has a row a price, by resource in natural order; below it the machines that have no public price.
Page prices_page(std::vector<PriceEntry> entries, std::vector<std::string> unpriced);

/// A `CollectiveRow` is one algorithm on one system.
struct CollectiveRow {
  std::string system;
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::string algorithm;
  Bytes payload;
  Seconds time;
  BytesPerSecond bus_bandwidth;
};

/// The page has a row each, all of one payload a rank.
Page collectives_page(const std::vector<CollectiveRow>& rows, Bytes payload);

/// Lists the counts of every model, in natural order.
Page workloads_page(std::vector<Model> models);
/// Lists what is known of the samples that each benchmark needs to its target.
Page recipes_page(const std::vector<ConvergenceTable>& tables);

/// Lists what the profiles measured, with the errors of their fits (median / P90); and the terms of every software
/// stack, by accelerator and family of workloads.
Page profiles_page(const std::vector<Profile>& profiles);

/// The page has facts under the name of the thing, each behind its label; what is not known is left out.
Page system_page(const SystemFacts& system);
Page accelerator_page(const AcceleratorSpec& accelerator);
/// `recipes` is null where nothing is known of the model's convergence.
Page workload_page(const Model& model, const ConvergenceTable* recipes);

}  // namespace mlsim::reports
