// merge() puts the shards of a sweep together.
#pragma once

#include <string>
#include <vector>

#include "studies/namespace.hpp"

namespace mlsim::studies {

/// Merges shards of one sweep into a new store. Throws InputError where they are of different sweeps or know different
/// things of one point, and where `path` is one of them; Infeasible where they lack a point, with the shards that are
/// not among them.
void merge(const std::vector<std::string>& shards, const std::string& path);

}  // namespace mlsim::studies
