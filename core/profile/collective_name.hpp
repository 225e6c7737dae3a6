// A `CollectiveName` is a workload that is one collective by itself: "all-reduce:payload=1MiB".
#pragma once

#include <string>
#include <vector>

#include "core/profile/collective.hpp"
#include "core/units.hpp"

namespace mlsim {

struct CollectiveName {
  CollectiveKind kind = CollectiveKind::all_reduce;
  Bytes payload;  // of a rank, as nccl-tests counts it
};

/// Lists the kinds that can be asked for by themselves: "all-reduce", "reduce-scatter", "all-gather", "broadcast",
/// "all-to-all".
const std::vector<std::string>& lone_collectives();

/// Says whether a workload's name begins with one of these, or has a payload.
bool names_collective(const std::string& workload);

/// Throws InputError with the nearest word, or with an example where the payload is missing.
CollectiveName parse_collective_name(const std::string& workload);

/// Writes "all-reduce:payload=931424B".
std::string to_text(const CollectiveName& name);

}  // namespace mlsim
