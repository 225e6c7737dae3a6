#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "sim/engine/simgrid/engines.hpp"
#include "sim/engine/simgrid/simgrid_platform.hpp"

namespace mlsim::sim {
namespace {

namespace sg = simgrid::s4u;

// Progress says what an actor was last about to do, for the error where the actor gets stuck.
struct Progress {
  bool joined = false, done = false;
  std::uint32_t phase = 0;
  int round = 0;
  int peer = -1;  // rank
  bool receiving = false;
};

// A channel carries the messages of a lane from one rank to another.
struct MailChannel {
  sg::Mailbox* mailbox = nullptr;
  Seconds extra;  // latency beyond the least one
};

Seconds least_latency(const MessageRoutes& routes) {
  if (routes.empty()) return {};
  Seconds least(std::numeric_limits<double>::infinity());
  for (const auto& [key, route] : routes) least = min(least, route.latency);
  return least;
}

class MessageSimulation {
 public:
  MessageSimulation(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency, Bytes bytes,
                    const std::vector<Seconds>& arrival, const MessageRoutes& routes)
      : schedule_(schedule),
        arrival_(arrival),
        ranks_(static_cast<std::size_t>(schedule.ranks)),
        platform_(least_latency(routes)),
        left_(ranks_) {
    if (schedule.elements > 0) bytes_per_element_ = bytes / static_cast<double>(schedule.elements);
    for (const Lane& lane : schedule.lanes) places_.push_back(group_places(lane, ranks_));
    progress_.assign(schedule.lanes.size() * ranks_, {});
    add_platform(cluster, efficiency, routes);
    const Seconds least = least_latency(routes);
    for_each_neighbour_pair(schedule, [&](std::uint32_t lane, int from, int to) {
      const std::uint64_t key = channel_key(lane, from, to);
      const auto [place, fresh] = channels_.try_emplace(key);
      if (fresh)
        place->second = {sg::Mailbox::by_name(std::to_string(key)),
                         routes.at(pair_key(schedule, from, to)).latency - least};
    });
  }

  MessageRun run();

 private:
  // All messages get the least latency from a link of their sender; the sender sleeps for the rest.
  void add_platform(const Cluster& cluster, const LinkEfficiency& efficiency, const MessageRoutes& routes) {
    std::vector<sg::Link*> links, latency;
    for (LinkIndex i = 0; i < cluster.links(); ++i) {
      const Link& link = cluster.link(i);
      links.push_back(platform_.add_link(link.bandwidth * efficiency[link.kind].share));
    }
    for (std::size_t r = 0; r < ranks_; ++r) {
      hosts_.push_back(platform_.add_host());
      latency.push_back(platform_.add_latency_link());
    }
    for (const auto& [key, route] : routes) {
      std::vector<sg::Link*> over{latency[route.from]};
      for (const LinkIndex l : route.links) over.push_back(links[l]);
      platform_.add_route(hosts_[route.from], hosts_[route.to], over);
    }
  }

  std::uint64_t channel_key(std::uint32_t lane, int from, int to) const {
    return lane * static_cast<std::uint64_t>(ranks_ * ranks_) + pair_key(schedule_, from, to);
  }

  void act(std::uint32_t lane, int rank);
  void run_round(std::uint32_t lane, const PhaseGroup& group, int position, int round, Progress& progress);
  std::string stuck() const;

  const Schedule& schedule_;
  const std::vector<Seconds>& arrival_;
  std::size_t ranks_;
  SimgridPlatform platform_;
  Bytes bytes_per_element_;
  std::vector<sg::Host*> hosts_;
  std::vector<std::vector<std::vector<GroupPlace>>> places_;  // lane, phase, rank
  std::unordered_map<std::uint64_t, MailChannel> channels_;
  std::vector<Progress> progress_;  // lane by lane
  std::vector<Seconds> left_;
  std::uint64_t messages_ = 0;
  int token_ = 0;  // what mailboxes carry
};

void MessageSimulation::run_round(std::uint32_t lane, const PhaseGroup& group, int position, int round,
                                  Progress& progress) {
  const auto rank_at = [&](int p) { return group.ranks[p]; };
  const int rank = rank_at(position);
  struct Outgoing {
    Seconds extra;
    int to;
    sg::Mailbox* mailbox;
    std::uint64_t payload;
  };
  std::vector<Outgoing> outgoing;
  for (const Send& send : position_sends(group, position, round)) {
    const MailChannel& channel = channels_.at(channel_key(lane, rank, rank_at(send.to)));
    outgoing.push_back({channel.extra, rank_at(send.to), channel.mailbox,
                        SimgridPlatform::payload(bytes_per_element_ * static_cast<double>(send.data.size()))});
  }
  std::stable_sort(outgoing.begin(), outgoing.end(),
                   [](const Outgoing& a, const Outgoing& b) { return a.extra < b.extra; });

  // Receives are posted before the sender sleeps, all together; the last one is posted and waited for in one step
  // where nothing sleeps, as each step is a switch from the actor to SimGrid and back.
  const bool sleeps = !outgoing.empty() && outgoing.back().extra.value > 0;
  std::vector<Send> incoming = position_receives(group, position, round);
  std::vector<std::pair<sg::CommPtr, int>> receives, sends;
  int* received = nullptr;
  const auto inbox = [&](const Send& send) {
    return channels_.at(channel_key(lane, rank_at(send.from), rank)).mailbox;
  };
  for (std::size_t i = 0; i + (sleeps ? 0 : 1) < incoming.size(); ++i)
    receives.emplace_back(inbox(incoming[i])->get_async<int>(&received), rank_at(incoming[i].from));
  Seconds slept;
  for (const Outgoing& message : outgoing) {
    if (message.extra > slept) sg::this_actor::sleep_for((message.extra - slept).value);
    slept = max(slept, message.extra);
    sends.emplace_back(message.mailbox->put_async(&token_, message.payload), message.to);
    ++messages_;
  }
  progress.receiving = true;
  if (!sleeps && !incoming.empty()) {
    progress.peer = rank_at(incoming.back().from);
    inbox(incoming.back())->get<int>();
  }
  for (const auto& [comm, peer] : receives) {
    progress.peer = peer;
    comm->wait();
  }
  progress.receiving = false;
  for (const auto& [comm, peer] : sends) {
    progress.peer = peer;
    comm->wait();
  }
}

void MessageSimulation::act(std::uint32_t lane, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  Progress& progress = progress_[lane * ranks_ + r];
  if (r < arrival_.size()) {
    if (std::isinf(arrival_[r].value)) return;
    sg::this_actor::sleep_until(arrival_[r].value);
  }
  progress.joined = true;
  const Lane& phases = schedule_.lanes[lane];
  for (std::uint32_t phase = 0; phase < phases.phases.size(); ++phase) {
    const GroupPlace place = places_[lane][phase][r];
    if (place.group == kNoGroup) continue;
    const PhaseGroup& group = phases.phases[phase].groups[place.group];
    progress.phase = phase;
    const int rounds = round_count(group);
    for (int round = 0; round < rounds; ++round) {
      progress.round = round;
      run_round(lane, group, place.position, round, progress);
    }
  }
  progress.done = true;
  left_[r] = max(left_[r], SimgridPlatform::now());
}

std::string MessageSimulation::stuck() const {
  std::string absent;
  for (std::uint32_t lane = 0; lane < schedule_.lanes.size(); ++lane)
    for (std::size_t r = 0; r < ranks_; ++r) {
      const Progress& p = progress_[lane * ranks_ + r];
      if (p.done) continue;
      if (p.joined)
        return fmt::format("rank {} cannot finish {}: in round {} of \"{}\" it waits to {} rank {}", r,
                           schedule_.algorithm, p.round + 1, schedule_.lanes[lane].phases[p.phase].name,
                           p.receiving ? "receive from" : "send to", p.peer);
      if (absent.empty()) absent = fmt::format("rank {} never joins {}", r, schedule_.algorithm);
    }
  return absent;
}

MessageRun MessageSimulation::run() {
  SimgridPlatform::reserve_stacks(schedule_.lanes.size() * ranks_);
  for (std::uint32_t lane = 0; lane < schedule_.lanes.size(); ++lane)
    for (std::size_t r = 0; r < ranks_; ++r)
      SimgridPlatform::add_actor("r", hosts_[r], [this, lane, r] { act(lane, static_cast<int>(r)); });
  platform_.run();
  const std::string problem = stuck();
  if (!problem.empty()) throw std::runtime_error(problem);
  MessageRun result{{}, left_, messages_};
  for (const Seconds left : left_) result.time = max(result.time, left);
  return result;
}

}  // namespace

MessageRun simgrid_messages(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency,
                            const MessageRoutes& routes, Bytes bytes, const std::vector<Seconds>& arrival) {
  return MessageSimulation(schedule, cluster, efficiency, bytes, arrival, routes).run();
}

}  // namespace mlsim::sim
