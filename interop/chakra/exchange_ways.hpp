// Exchange ways say how a recorded step's exchanges run: those that are one node on several ranks are planned together.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "interop/chakra/recorded_exchange.hpp"
#include "interop/namespace.hpp"
#include "sim/exchange/measured_collective.hpp"
#include "sim/exchange/planned_exchange.hpp"
#include "sim/links/link_efficiency.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::interop {

/// A place is where recorded exchanges are to run.
struct ExchangePlace {
  const Cluster* cluster = nullptr;
  LinkEfficiency links;
  MeasuredCollectives measured;  // what profiles know of collectives between all ranks
  std::string communicator;      // whose curves count
  std::optional<std::string> algorithm;
  /// A rank's memory moves so much while it adds up what it received, two reads and a write for each byte, after its
  /// bytes are there: ASTRA-sim's local-mem-bw. Without it, sums are taken while bytes arrive, as NCCL does.
  std::optional<BytesPerSecond> sum_memory;
};

/// A way is one plan for all exchanges of a kind between the same groups.
struct ExchangeWay {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::vector<std::vector<int>> groups;
  Bytes largest, total;   // payload of one exchange; of all those of the first group
  std::size_t count = 0;  // of the first group
  PlannedExchange plan;
};

struct ExchangeWays {
  std::vector<ExchangeWay> all;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> of;  // by exchange: its way; kNone of those of one rank, which take no time
};

/// Throws Infeasible where an algorithm that is asked for cannot run, or two ranks have no route.
ExchangeWays planned_ways(const EtExchanges& exchanges, const ExchangePlace& place);

}  // namespace mlsim::interop
