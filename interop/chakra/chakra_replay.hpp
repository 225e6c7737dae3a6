// chakra_replay() goes from the files of a run to its step on a machine, which simulated_step() simulates.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile/profile.hpp"
#include "core/shared_list.hpp"
#include "core/text/words.hpp"
#include "core/units.hpp"
#include "interop/chakra/exchange_ways.hpp"
#include "interop/chakra/recorded_ranks.hpp"
#include "interop/namespace.hpp"
#include "sim/options/options.hpp"

namespace mlsim::interop {

struct EtStep {
  Seconds time;               // until the last rank is done
  std::vector<Seconds> ends;  // of each rank
  std::vector<Seconds> busy;  // of each rank: its kernels
};

/// Nodes keep their own length; exchanges run anew, all ranks and flows by themselves. A rank runs one kernel, one host
/// node and one collective of each group at a time; of what is ready the least id is first. Throws InputError where
/// ranks wait for each other without end, as those do whose collectives stand in different orders.
EtStep simulated_step(const EtRanks& run, const EtExchanges& exchanges, const ExchangeWays& ways,
                      const ExchangePlace& place);

/// Links of software have what a communication library loses on them, or what was measured; ideal ones carry their line
/// rate, as ASTRA-sim's do.
enum class ChakraLinks { software, ideal };
inline Words<ChakraLinks> words(ChakraLinks) { return {"kind of links", {"software", "ideal"}}; }

struct ChakraQuestion {
  std::string prefix, groups;  // files; the latter empty: PREFIX.groups.json where it is there
  std::string topology;
  Options options;  // communicator and algorithm count here
  ChakraLinks links = ChakraLinks::software;
  std::optional<BytesPerSecond> sum_memory;
  ProfileRefs profiles;  // nearest first
};

struct ChakraReplay {
  std::string cluster;
  ChakraLinks links = ChakraLinks::software;
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
