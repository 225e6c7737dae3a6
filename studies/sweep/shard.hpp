// A `Shard` is the part of a sweep that one of several machines answers.
#pragma once

#include <cstddef>
#include <string>

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

}  // namespace mlsim::studies
