#include "interop/chakra/chakra_replay.hpp"

#include <utility>

#include "interop/chakra/recorded_exchange.hpp"
#include "sim/mesh/communicator.hpp"
#include "sim/options/option_rules.hpp"
#include "topologies/construction/build_cluster.hpp"

namespace mlsim::interop {
namespace {

// Returns the element size of the gradients, whose sums come last in a step; fp32 where nothing is summed.
Bytes summed_element(const EtExchanges& exchanges) {
  Bytes element(4);
  for (const EtExchange& each : exchanges.all)
    if (each.kind == CollectiveKind::all_reduce || each.kind == CollectiveKind::reduce_scatter) element = each.element;
  return element;
}

}  // namespace

ChakraReplay chakra_replay(const ChakraQuestion& question) {
  check_collective(question.options);
  const ExchangeOptions& options = question.options.exchange;
  ChakraReplay replay;
  replay.run = load_et_ranks(question.prefix, question.groups);
  const auto ranks = static_cast<int>(replay.run.ranks.size());
  const Cluster cluster = build_cluster(question.topology, ranks);
  replay.cluster = cluster.name;
  const EtExchanges exchanges = exchanges_of(replay.run);
  ExchangePlace place;
  place.cluster = &cluster;
  place.measured = MeasuredCollectives(cluster, question.profiles);
  place.links = communicator_links(cluster, options.communicator, summed_element(exchanges), place.measured);
  place.communicator = communicator(cluster, options.communicator);
  place.algorithm = options.algorithm;
  place.sum_memory = question.sum_memory;
  replay.ways = planned_ways(exchanges, place);
  replay.step = simulated_step(replay.run, exchanges, replay.ways, place);
  return replay;
}

}  // namespace mlsim::interop
