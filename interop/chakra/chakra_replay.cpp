#include "interop/chakra/chakra_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "core/process/activity.hpp"
#include "core/text/errors.hpp"
#include "sim/engine/flow_network.hpp"
#include "sim/fold/program_run.hpp"
#include "sim/mesh/communicator.hpp"
#include "sim/options/option_rules.hpp"
#include "topologies/construction/build_cluster.hpp"

namespace mlsim::interop {
namespace {

// A RankState is what one rank has done and waits for.
struct RankState {
  std::vector<std::size_t> waits;              // by node: what has not ended of what it waits for
  std::vector<std::vector<std::size_t>> next;  // by node: what waits for it
  std::vector<bool> ended;
  std::map<std::string, std::set<std::size_t>> ready;  // by queue, those that wait for its turn
  std::set<std::string> busy;                          // queues that run a node
};

// Running is an exchange under way.
struct Running {
  std::shared_ptr<PlacedProgram::Run> run;  // of those that share links
  std::size_t joined = 0;
  std::map<int, std::size_t> nodes;  // by rank
  std::set<int> left;                // ranks that have it and whose node has not begun
};

class StepSimulation {
 public:
  StepSimulation(const EtRanks& run, const EtExchanges& exchanges, const ExchangeWays& ways, const ExchangePlace& place)
      : run_(run), exchanges_(exchanges), ways_(ways), place_(place), network_(make_flow_network(Engine::max_min)) {
    for (const ExchangeWay& way : ways.all) {
      const auto program = way.plan.flows(*place.cluster, place.links);
      programs_.push_back(program ? std::make_unique<PlacedProgram>(*network_, *program) : nullptr);
    }
    running_.resize(exchanges.all.size());
    for (const ExecutionTrace& trace : run.ranks) states_.push_back(initial(trace));
    std::size_t nodes = 0;
    for (const ExecutionTrace& trace : run.ranks) nodes += trace.nodes.size();
    activity_.reach(0, nodes);
    step_.ends.resize(run.ranks.size());
    step_.busy.resize(run.ranks.size());
  }

  EtStep outcome() {
    network_->at(Seconds(0), [this] {
      for (std::size_t rank = 0; rank < states_.size(); ++rank) {
        const std::vector<std::size_t> waits = states_[rank].waits;
        for (std::size_t node = 0; node < waits.size(); ++node)
          if (waits[node] == 0) enqueue(static_cast<int>(rank), node);
      }
    });
    network_->run();
    for (std::size_t rank = 0; rank < states_.size(); ++rank) check_ended(rank);
    step_.time = *std::max_element(step_.ends.begin(), step_.ends.end());
    return step_;
  }

 private:
  static RankState initial(const ExecutionTrace& trace) {
    RankState state;
    std::unordered_map<std::uint64_t, std::size_t> places;
    for (std::size_t i = 0; i < trace.nodes.size(); ++i) places[trace.nodes[i].id] = i;
    state.next.resize(trace.nodes.size());
    state.ended.resize(trace.nodes.size());
    for (std::size_t i = 0; i < trace.nodes.size(); ++i) {
      state.waits.push_back(trace.nodes[i].after.size());
      for (const std::uint64_t id : trace.nodes[i].after) state.next[places.at(id)].push_back(i);
    }
    return state;
  }

  const EtNode& node_of(int rank, std::size_t node) const {
    return run_.ranks[static_cast<std::size_t>(rank)].nodes[node];
  }
  RankState& state(int rank) { return states_[static_cast<std::size_t>(rank)]; }

  // Returns the queue whose nodes run one at a time on a rank; an empty name for a node that never waits for its turn.
  static std::string queue_of(const EtNode& node) {
    if (node.kind == EtKind::collective) return "group " + node.group;
    if (node.kind != EtKind::compute) return {};
    return node.on_host ? "host" : "kernel";
  }

  void enqueue(int rank, std::size_t node) {
    const std::string queue = queue_of(node_of(rank, node));
    if (queue.empty()) return begin(rank, node);
    state(rank).ready[queue].insert(node);
    network_->at(network_->now(), [this, rank, queue] { take_turn(rank, queue); });
  }

  // The turn comes behind all that becomes ready at the same moment.
  void take_turn(int rank, const std::string& queue) {
    auto& ready = state(rank).ready[queue];
    if (ready.empty() || !state(rank).busy.insert(queue).second) return;
    const std::size_t node = *ready.begin();
    ready.erase(ready.begin());
    begin(rank, node);
  }

  void begin(int rank, std::size_t index) {
    const EtNode& node = node_of(rank, index);
    if (node.kind >= EtKind::send) return join(rank, index);
    const Seconds length = microseconds(static_cast<double>(node.duration_us));
    if (node.kind == EtKind::compute && !node.on_host) step_.busy[static_cast<std::size_t>(rank)] += length;
    network_->at(network_->now() + length, [this, rank, index] { end(rank, index); });
  }

  void end(int rank, std::size_t index) {
    RankState& mine = state(rank);
    mine.ended[index] = true;
    activity_.advance();
    step_.ends[static_cast<std::size_t>(rank)] = network_->now();
    for (const std::size_t next : mine.next[index])
      if (--mine.waits[next] == 0) enqueue(rank, next);
    const std::string queue = queue_of(node_of(rank, index));
    if (queue.empty()) return;
    mine.busy.erase(queue);
    network_->at(network_->now(), [this, rank, queue] { take_turn(rank, queue); });
  }

  void join(int rank, std::size_t index) {
    const std::size_t number = exchanges_.of[static_cast<std::size_t>(rank)][index];
    Running& running = running_[number];
    running.nodes[rank] = index;
    if (ways_.of[number] == ExchangeWays::kNone) return end(rank, index);
    if (!programs_[ways_.of[number]]) return synchronise(number);
    start(number);
    const bool receives = node_of(rank, index).kind == EtKind::receive;
    if (!receives)
      network_->at(network_->now() + place_.links.call,
                   [this, number, rank] { running_[number].run->arrive(static_cast<std::uint32_t>(rank)); });
    if (running.left.erase(rank) > 0) end(rank, index);
  }

  // Receivers are ready from the beginning; bytes that come before their node begins wait for it.
  void start(std::size_t number) {
    const EtExchange& exchange = exchanges_.all[number];
    Running& running = running_[number];
    if (running.run) return;
    running.run = programs_[ways_.of[number]]->start(exchange.payload, [this, number](std::uint32_t rank) {
      network_->at(network_->now() + sum_time(exchanges_.all[number]),
                   [this, number, rank] { leave(number, static_cast<int>(rank)); });
    });
    if (exchange.kind == CollectiveKind::send_receive)
      running.run->arrive(static_cast<std::uint32_t>(exchange.ranks[1]));
  }

  void leave(std::size_t number, int rank) {
    Running& running = running_[number];
    const auto node = running.nodes.find(rank);
    if (node == running.nodes.end())
      running.left.insert(rank);
    else
      end(rank, node->second);
  }

  // An exchange of known length ends for all ranks that long after the last one joins.
  void synchronise(std::size_t number) {
    const EtExchange& exchange = exchanges_.all[number];
    if (++running_[number].joined < exchange.ranks.size()) return;
    const Seconds time = ways_.all[ways_.of[number]].plan.time(exchange.payload, place_.links.call, Seconds(0));
    network_->at(network_->now() + time, [this, number] {
      for (const auto& [rank, node] : running_[number].nodes) end(rank, node);
    });
  }

  // A sum takes two reads and a write of each byte that a rank adds up, (n-1)/n of the payload.
  Seconds sum_time(const EtExchange& exchange) const {
    const bool sums = exchange.kind == CollectiveKind::all_reduce || exchange.kind == CollectiveKind::reduce_scatter;
    if (!sums || !place_.sum_memory) return Seconds(0);
    const auto ranks = static_cast<double>(exchange.ranks.size());
    return 3 * (ranks - 1) / ranks * exchange.payload / *place_.sum_memory;
  }

  void check_ended(std::size_t rank) const {
    const RankState& state = states_[rank];
    for (std::size_t i = 0; i < state.ended.size(); ++i) {
      if (state.ended[i] || state.waits[i] > 0) continue;
      const EtNode& node = run_.ranks[rank].nodes[i];
      throw InputError(run_.files[rank],
                       fmt::format("the step never ends: node {} (\"{}\") waits for other ranks, whose collectives or "
                                   "messages stand in another order",
                                   node.id, node.name.substr(0, 60)));
    }
  }

  Activity activity_{"simulating the recorded step"};
  const EtRanks& run_;
  const EtExchanges& exchanges_;
  const ExchangeWays& ways_;
  const ExchangePlace& place_;
  std::unique_ptr<FlowNetwork> network_;
  std::vector<std::unique_ptr<PlacedProgram>> programs_;  // by way; null of what shares no links
  std::vector<Running> running_;                          // by exchange
  std::vector<RankState> states_;
  EtStep step_;
};

// Returns the element size of the gradients, whose sums come last in a step; fp32 where nothing is summed.
Bytes summed_element(const EtExchanges& exchanges) {
  Bytes element(4);
  for (const EtExchange& each : exchanges.all)
    if (each.kind == CollectiveKind::all_reduce || each.kind == CollectiveKind::reduce_scatter) element = each.element;
  return element;
}

}  // namespace

EtStep simulated_step(const EtRanks& run, const EtExchanges& exchanges, const ExchangeWays& ways,
                      const ExchangePlace& place) {
  return StepSimulation(run, exchanges, ways, place).outcome();
}

ChakraReplay chakra_replay(const ChakraQuestion& question) {
  check_collective(question.options);
  const ExchangeOptions& options = question.options.exchange;
  const bool ideal = question.links == ChakraLinks::ideal;
  if (ideal && !options.communicator.empty())
    throw InputError("--set communicator=" + options.communicator, "loses nothing on --links ideal; give one of them");
  ChakraReplay replay;
  replay.run = load_et_ranks(question.prefix, question.groups);
  const auto ranks = static_cast<int>(replay.run.ranks.size());
  const Cluster cluster = build_cluster(question.topology, ranks);
  replay.cluster = cluster.name;
  replay.links = question.links;
  const EtExchanges exchanges = exchanges_of(replay.run);
  ExchangePlace place;
  place.cluster = &cluster;
  if (!ideal) place.measured = MeasuredCollectives(cluster, question.profiles);
  place.links = ideal ? ideal_links()
                      : communicator_links(cluster, options.communicator, summed_element(exchanges), place.measured);
  place.communicator = communicator(cluster, options.communicator);
  place.algorithm = options.algorithm;
  place.sum_memory = question.sum_memory;
  replay.ways = planned_ways(exchanges, place);
  replay.step = simulated_step(replay.run, exchanges, replay.ways, place);
  return replay;
}

}  // namespace mlsim::interop
