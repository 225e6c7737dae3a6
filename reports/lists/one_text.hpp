// The pages of `mlsim list NAME`: one thing whole.
#pragma once

#include <optional>
#include <string>

#include "reports/namespace.hpp"
#include "topologies/system_facts.hpp"
#include "workloads/convergence/convergence_table.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::reports {

std::string system_text(const SystemFacts& system);
std::string accelerator_text(const AcceleratorSpec& accelerator);
/// `recipes` is null where nothing is known of the model's convergence.
std::string workload_text(const Model& model, const ConvergenceTable* recipes);

}  // namespace mlsim::reports
