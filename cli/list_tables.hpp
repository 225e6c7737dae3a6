// The tables of `mlsim list`, as text.
#pragma once

#include <string>
#include <vector>

#include "cli/namespace.hpp"
#include "reports/text_table.hpp"

namespace mlsim::cli {

/// Machines, grids and published names, in natural order.
std::string topologies_text();
std::string accelerators_text();
std::string prices_text();
/// Every algorithm with the kinds it runs on one system of each sort, and its closed form there.
std::string collectives_text();

/// The counts of every model of the catalogue.
std::string workloads_text();
/// What is known of the samples that each benchmark needs to its target.
std::string recipes_text();
/// What the profiles in `files`, then the built-in ones, measured, with the errors of their fits (median / P90); and
/// the terms of every software stack, by accelerator and family of workloads.
std::string profiles_text(const std::vector<std::string>& files);

/// The table, and below it what its columns mean.
std::string with_note(const TextTable& table, const std::string& note);

/// "tpu-v3-32" before "tpu-v3-128": runs of digits compare by value.
bool natural_less(const std::string& a, const std::string& b);

}  // namespace mlsim::cli
