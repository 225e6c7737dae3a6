#include "sim/engine/simulate_messages.hpp"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <stdexcept>
#include <string>

#include "sim/engine/child.hpp"
#include "sim/engine/flow_network.hpp"

namespace mlsim::sim {
namespace {

// An actor is a rank in one lane.
struct Actor {
  std::uint32_t phase = 0;
  int round = 0;
  int missing = 0;  // sends and receives of the round that have not ended
  bool joined = false, done = false;
};

// A channel carries a lane's messages from one rank to another in order: one starts when both ends are at its round.
struct Channel {
  FlowPath path = 0;
  std::deque<Bytes> offered;
  int awaited = 0;
};

class MessageFlows {
 public:
  MessageFlows(FlowNetwork& network, const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency,
               Bytes bytes)
      : network_(network),
        schedule_(schedule),
        ranks_(static_cast<std::size_t>(schedule.ranks)),
        left_(ranks_),
        actors_(schedule.lanes.size() * ranks_) {
    if (schedule.elements > 0) bytes_per_element_ = bytes / static_cast<double>(schedule.elements);
    for (const Lane& lane : schedule.lanes) places_.push_back(group_places(lane, ranks_));
    add_channels(cluster, efficiency);
  }

  MessageRun run(const std::vector<Seconds>& arrival) {
    for (std::uint32_t lane = 0; lane < schedule_.lanes.size(); ++lane) {
      for (std::size_t rank = 0; rank < ranks_; ++rank) {
        const Seconds when = rank < arrival.size() ? arrival[rank] : Seconds(0);
        if (std::isinf(when.value)) continue;
        network_.at(when, [this, lane, rank] {
          actor(lane, rank).joined = true;
          go_on(lane, rank);
        });
      }
    }
    network_.run();
    refuse_unfinished();
    MessageRun result{{}, left_, messages_};
    for (const Seconds left : left_) result.time = max(result.time, left);
    return result;
  }

 private:
  Actor& actor(std::uint32_t lane, std::size_t rank) { return actors_[lane * ranks_ + rank]; }

  Channel& channel(std::uint32_t lane, int from, int to) {
    return channels_.at(lane * static_cast<std::uint64_t>(ranks_ * ranks_) + pair_key(schedule_, from, to));
  }

  void add_channels(const Cluster& cluster, const LinkEfficiency& efficiency) {
    std::vector<FlowLink> links;
    for (LinkIndex i = 0; i < cluster.links(); ++i) {
      const Link& link = cluster.link(i);
      links.push_back(network_.add_link(link.bandwidth * efficiency[link.kind].share));
    }
    std::unordered_map<std::uint64_t, FlowPath> paths;
    for (const auto& [key, route] : message_routes(schedule_, cluster, efficiency)) {
      std::vector<FlowLink> over;
      for (const LinkIndex l : route.links) over.push_back(links[l]);
      paths[key] = network_.add_path(over, route.latency);
    }
    for_each_neighbour_pair(schedule_, [&](std::uint32_t lane, int from, int to) {
      const std::uint64_t key = pair_key(schedule_, from, to);
      channels_[lane * static_cast<std::uint64_t>(ranks_ * ranks_) + key].path = paths.at(key);
    });
  }

  // Starts the next round that has messages for this rank, or ends the rank.
  void go_on(std::uint32_t lane, std::size_t rank) {
    Actor& self = actor(lane, rank);
    const auto& phases = schedule_.lanes[lane].phases;
    for (; self.phase < phases.size(); ++self.phase, self.round = 0) {
      const GroupPlace place = places_[lane][self.phase][rank];
      if (place.group == kNoGroup) continue;
      const PhaseGroup& group = phases[self.phase].groups[place.group];
      for (const int rounds = round_count(group); self.round < rounds;) {
        if (start_round(lane, group, place.position, self)) return;
      }
    }
    self.done = true;
    left_[rank] = max(left_[rank], network_.now());
  }

  // Offers and awaits the messages of a round; returns false where the rank has none.
  bool start_round(std::uint32_t lane, const PhaseGroup& group, int position, Actor& self) {
    const auto rank_at = [&](int p) { return group.ranks[p]; };
    const auto sends = position_sends(group, position, self.round);
    const auto receives = position_receives(group, position, self.round);
    ++self.round;
    self.missing = static_cast<int>(sends.size() + receives.size());
    for (const Send& send : sends) {
      Channel& out = channel(lane, rank_at(position), rank_at(send.to));
      out.offered.push_back(bytes_per_element_ * static_cast<double>(send.data.size()));
      match(lane, out, rank_at(position), rank_at(send.to));
    }
    for (const Send& send : receives) {
      Channel& in = channel(lane, rank_at(send.from), rank_at(position));
      ++in.awaited;
      match(lane, in, rank_at(send.from), rank_at(position));
    }
    return self.missing > 0;
  }

  void match(std::uint32_t lane, Channel& channel, int from, int to) {
    while (channel.awaited > 0 && !channel.offered.empty()) {
      --channel.awaited;
      ++messages_;
      network_.send(channel.path, channel.offered.front(), [this, lane, from, to] {
        end_part(lane, static_cast<std::size_t>(from));
        end_part(lane, static_cast<std::size_t>(to));
      });
      channel.offered.pop_front();
    }
  }

  void end_part(std::uint32_t lane, std::size_t rank) {
    if (--actor(lane, rank).missing == 0) go_on(lane, rank);
  }

  void refuse_unfinished() {
    for (std::uint32_t lane = 0; lane < schedule_.lanes.size(); ++lane) {
      for (std::size_t rank = 0; rank < ranks_; ++rank) {
        const Actor& self = actor(lane, rank);
        if (self.done || !self.joined) continue;
        throw std::runtime_error(fmt::format("rank {} cannot finish {}: it waits for {} messages of round {} of \"{}\"",
                                             rank, schedule_.algorithm, self.missing, self.round,
                                             schedule_.lanes[lane].phases[self.phase].name));
      }
    }
    for (std::uint32_t lane = 0; lane < schedule_.lanes.size(); ++lane) {
      for (std::size_t rank = 0; rank < ranks_; ++rank) {
        if (!actor(lane, rank).joined)
          throw std::runtime_error(fmt::format("rank {} never joins {}", rank, schedule_.algorithm));
      }
    }
  }

  FlowNetwork& network_;
  const Schedule& schedule_;
  std::size_t ranks_;
  Bytes bytes_per_element_;
  std::vector<Seconds> left_;
  std::vector<Actor> actors_;                                 // lane by lane
  std::vector<std::vector<std::vector<GroupPlace>>> places_;  // lane, phase, rank
  std::unordered_map<std::uint64_t, Channel> channels_;
  std::uint64_t messages_ = 0;
};

// Does by callbacks on an empty `network` what run_messages() does with an actor for each rank. The times are the same
// to 1e-9 where all routes of a rank have one latency; else that of a longer route counts from the synchronisation of
// both ends (there: from the sender's arrival). On our own solver 4096 ranks and 1.3 million messages take two
// seconds; SimGrid is slow with that many live flows.
MessageRun run_message_flows(FlowNetwork& network, const Schedule& schedule, const Cluster& cluster,
                             const LinkEfficiency& efficiency, Bytes bytes, const std::vector<Seconds>& arrival) {
  return MessageFlows(network, schedule, cluster, efficiency, bytes).run(arrival);
}

}  // namespace

MessageRun simulate_messages(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency,
                             Bytes bytes, Engine engine, const std::vector<Seconds>& arrival) {
  if (engine == Engine::max_min) {
    const auto network = make_max_min_flow_network();
    return run_message_flows(*network, schedule, cluster, efficiency, bytes, arrival);
  }
  const std::string packed = in_child([&] {
    const MessageRun run = run_messages(schedule, cluster, efficiency, bytes, arrival);
    Packer packer;
    packer.put(run.time);
    packer.put(run.left);
    packer.put(run.messages);
    return packer.take();
  });
  Unpacker unpacker(packed);
  MessageRun run;
  run.time = unpacker.get<Seconds>();
  run.left = unpacker.get_vector<Seconds>();
  run.messages = unpacker.get<std::uint64_t>();
  return run;
}

}  // namespace mlsim::sim
