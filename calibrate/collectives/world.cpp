#include "calibrate/collectives/world.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>

#include "calibrate/measure.hpp"
#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::calibrate {

void agreed_step(World& world, const std::function<void()>& step) {
  std::string obstacle;
  try {
    step();
  } catch (const std::exception& e) {
    obstacle = *e.what() == '\0' ? "failed without a reason" : e.what();
  }
  const auto obstacles = world.gathered(obstacle);
  for (std::size_t rank = 0; rank < obstacles.size(); ++rank) {
    if (obstacles[rank].empty()) continue;
    throw Unavailable(rank == 0 ? obstacles[rank] : fmt::format("rank {}: {}", rank, obstacles[rank]));
  }
}

void Start::synchronise() {
  if (synchronisation_ == Synchronisation::window) lead_ = world_.clock_lead().lead;
}

bool Start::together() {
  if (synchronisation_ == Synchronisation::barrier) {
    world_.barrier();
    return true;
  }
  // The time is written to the nanosecond: a double has digits for that on clocks that count from the last boot.
  const std::string word = world_.from_root(fmt::format("{:.9f}", (steady_now() + window_).value));
  const Seconds begin = Seconds(parse_number(word)) + lead_;
  if (steady_now() > begin) return false;
  while (steady_now() < begin) {
  }
  return true;
}

int HostPlacement::ranks_per_node() const {
  const auto ranks_on = [&](int node) { return static_cast<int>(std::count(node_of.begin(), node_of.end(), node)); };
  const int of_first = ranks_on(0);
  for (int node = 1; node < nodes(); ++node) {
    if (ranks_on(node) != of_first) {
      throw InputError(fmt::format("every host needs as many ranks as the others; {} has {} and {} has {}", hosts[0],
                                   of_first, hosts[node], ranks_on(node)));
    }
  }
  return of_first;
}

std::vector<std::string> HostPlacement::hosts_by_rank() const {
  std::vector<std::string> by_rank;
  for (const int node : node_of) by_rank.push_back(hosts[node]);
  return by_rank;
}

std::string host_name() {
  char name[256] = {};  // HOST_NAME_MAX is 64
  ::gethostname(name, sizeof name - 1);
  return name;
}

HostPlacement placement_of(const std::vector<std::string>& host_names) {
  HostPlacement placement;
  for (const auto& host : host_names) {
    const auto found = std::find(placement.hosts.begin(), placement.hosts.end(), host);
    const int node = static_cast<int>(found - placement.hosts.begin());
    if (found == placement.hosts.end()) placement.hosts.push_back(host);
    placement.local_rank_of.push_back(
        static_cast<int>(std::count(placement.node_of.begin(), placement.node_of.end(), node)));
    placement.node_of.push_back(node);
  }
  return placement;
}

}  // namespace mlsim::calibrate
