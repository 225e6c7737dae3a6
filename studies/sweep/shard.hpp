// A `Shard` is the part of a sweep that one of several machines answers; shards are merged into one store.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "studies/namespace.hpp"

namespace mlsim::studies {

/// This is shard `index` of `count`, from 0; the whole by default. Steps go round: the step i belongs to shard i mod
/// count.
struct Shard {
  std::size_t index = 0, count = 1;
  bool holds(std::size_t step) const { return step % count == index; }
  bool operator==(const Shard&) const = default;
};

/// Parses "0/4", or "/4": the index then is that of this task in the array of the user's scheduler, read from
/// SLURM_ARRAY_TASK_ID (from SLURM_ARRAY_TASK_MIN on), JOB_COMPLETION_INDEX (Kubernetes) or PBS_ARRAY_INDEX. Throws
/// InputError.
Shard parse_shard(const std::string& text);

/// Writes "0/4".
std::string to_text(const Shard& shard);

/// Merges shards of one sweep into a new store. Throws InputError where they are of different sweeps or know different
/// things of one point, and where `path` is one of them; Infeasible where they lack a point, with the shards that are
/// not among them.
void merge(const std::vector<std::string>& shards, const std::string& path);

}  // namespace mlsim::studies
