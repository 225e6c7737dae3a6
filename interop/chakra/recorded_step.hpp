// simulated_step() simulates a step of Chakra execution traces on a machine.
#pragma once

#include <vector>

#include "core/units.hpp"
#include "interop/chakra/exchange_ways.hpp"
#include "interop/chakra/recorded_ranks.hpp"
#include "interop/namespace.hpp"

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

}  // namespace mlsim::interop
