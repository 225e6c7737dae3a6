// chakra_replay() goes from the files of a run to its step on a machine.
#pragma once

#include <optional>
#include <string>

#include "core/profile/profile.hpp"
#include "core/shared_list.hpp"
#include "core/units.hpp"
#include "interop/chakra/exchange_ways.hpp"
#include "interop/chakra/recorded_ranks.hpp"
#include "interop/chakra/recorded_step.hpp"
#include "interop/namespace.hpp"
#include "sim/options/options.hpp"

namespace mlsim::interop {

struct ChakraQuestion {
  std::string prefix, groups;  // files; the latter empty: PREFIX.groups.json where it is there
  std::string topology;
  Options options;  // communicator and algorithm count here
  std::optional<BytesPerSecond> sum_memory;
  ProfileRefs profiles;  // nearest first
};

struct ChakraReplay {
  std::string cluster;
  EtRanks run;
  ExchangeWays ways;
  EtStep step;
};

/// The step runs on as many accelerators of the topology as the run has ranks. Throws InputError, Infeasible or
/// Unavailable as its parts do, and InputError for an option that changes nothing here.
ChakraReplay chakra_replay(const ChakraQuestion& question);

/// The schema is interop/chakra/chakra_replay.schema.json.
std::string to_json(const ChakraReplay& replay);

}  // namespace mlsim::interop
