#include "sim/collectives/all_to_all_cost.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "sim/collectives/nccl/system.hpp"
#include "topologies/cluster/cluster_graph.hpp"

namespace mlsim::sim {

namespace {

constexpr std::size_t kMostRoutedRanks = 256;  // where links have failed, every pair of up to so many is routed

// NCCL runs a group of sends and receives on up to 32 channels, 8 peers a channel at once (src/include/device.h,
// NCCL_MAX_DEV_WORK_P2P_PER_BATCH); further peers wait for these.
constexpr double kPeersAtOnce = 32 * 8;
// A message takes the proxy a send, a receive and a flush, one after another.
constexpr double kRequests = 3;

// A `Gathered` has messages by link, gathered in any order.
class Gathered {
 public:
  explicit Gathered(HopTable& hops) : hops_(hops) {}

  void add(LinkIndex link, double messages) { found_.push_back({link, messages}); }
  void add(const HopTable::Hop& hop, double messages) {
    for (std::uint32_t i = hop.first; i < hop.first + hop.count; ++i) add(hops_.link(i), messages);
  }

  std::vector<LinkMessages> sum() {
    std::sort(found_.begin(), found_.end(),
              [](const LinkMessages& a, const LinkMessages& b) { return a.link < b.link; });
    std::vector<LinkMessages> result;
    for (const LinkMessages& next : found_) {
      if (result.empty() || result.back().link != next.link) result.push_back({next.link, 0});
      result.back().messages += next.messages;
    }
    return result;
  }

 private:
  HopTable& hops_;
  std::vector<LinkMessages> found_;
};

// Gives what a chip of a grid takes to start the messages of `load` one after another.
Seconds starting_time(const HopTable& hops, const AllToAllLoad& load, std::size_t messages) {
  Seconds software;
  for (const LinkMessages& at : load.links) software = max(software, hops.message(at.link));
  return static_cast<double>(messages) * software;
}

AllToAllLoad load_by_pairs(HopTable& hops, const std::vector<int>& ranks) {
  Gathered gathered(hops);
  AllToAllLoad load;
  Seconds longest;
  for (const int from : ranks) {
    for (const int to : ranks) {
      if (from == to) continue;
      const HopTable::Hop hop = hops.hop(from, to);
      gathered.add(hop, 1);
      longest = max(longest, hop.alpha);
    }
  }
  load.links = gathered.sum();
  load.latency = longest + starting_time(hops, load, ranks.size() - 2);
  return load;
}

// `Places` are one dimension of a grid and the places on it that take part.
struct Places {
  std::vector<int> at;  // ascending
  GridDimension along;
};

// Crossings count the ordered pairs of places that pass from place p up to p + 1 and from p + 1 down to p. The ends of
// each way are marked and added up along the dimension, twice round so that ways through the wrap close.
struct Crossings {
  std::vector<double> up, down;

  explicit Crossings(const Places& places) : up(2 * places.along.size + 1), down(up.size()) {
    for (const int from : places.at)
      for (const int to : places.at)
        if (from != to) {
          const bool rises = leads_up(from, to, places.along);
          mark(rises ? up : down, rises ? from : to, rises ? to : from);
        }
    for (auto* way : {&up, &down}) {
      for (std::size_t p = 1; p < way->size(); ++p) (*way)[p] += (*way)[p - 1];
      const std::size_t size = way->size() / 2;
      for (std::size_t p = 0; p < size; ++p) (*way)[p] += (*way)[p + size];
      way->resize(size);
    }
  }

 private:
  // Marks a way from the lower end up to the upper one, which lies beyond the wrap where it is the smaller number.
  static void mark(std::vector<double>& way, int low, int high) {
    const int size = static_cast<int>(way.size() / 2);
    way[low] += 1;
    way[high > low ? high : high + size] -= 1;
  }
};

// A `GridLine` has the links of one line along a dimension of a grid, and what its ranks send along it.
class GridLine {
 public:
  GridLine(HopTable& hops, const Places& places, int first_rank, int stride)
      : hops_(hops), places_(places), first_(first_rank), stride_(stride) {}

  void add_to(Gathered& gathered, const Crossings& crossings, double times) const {
    for (int p = 0; p < places_.along.size; ++p) {
      if (crossings.up[p] > 0) gathered.add(hop(p, p + 1), times * crossings.up[p]);
      if (crossings.down[p] > 0) gathered.add(hop(p + 1, p), times * crossings.down[p]);
    }
  }

  /// Says whether a link that the ranks use has failed.
  bool broken(const Crossings& crossings) const {
    for (int p = 0; p < places_.along.size; ++p) {
      if (crossings.up[p] > 0 && hop(p, p + 1).count > 1) return true;
      if (crossings.down[p] > 0 && hop(p + 1, p).count > 1) return true;
    }
    return false;
  }

  /// Gives the latency of the longest way between two of the places, without what software adds to a message.
  Seconds latency() const {
    const int size = places_.along.size;
    std::vector<Seconds> up(2 * size + 1), down(2 * size + 1);  // of the links below a place
    for (int p = 0; p < 2 * size; ++p) {
      up[p + 1] = up[p] + link_latency(p % size, (p + 1) % size);
      down[p + 1] = down[p] + link_latency((p + 1) % size, p % size);
    }
    Seconds longest;
    for (const int from : places_.at) {
      for (const int to : places_.at) {
        if (to == from) continue;
        const bool rises = leads_up(from, to, places_.along);
        const int low = rises ? from : to, end = rises ? to : from, high = end < low ? end + size : end;
        longest = max(longest, rises ? up[high] - up[low] : down[high] - down[low]);
      }
    }
    return longest;
  }

 private:
  int rank(int place) const { return first_ + place % places_.along.size * stride_; }
  HopTable::Hop hop(int from, int to) const { return hops_.hop(rank(from), rank(to)); }
  Seconds link_latency(int from, int to) const {
    const bool wrap = std::abs(from - to) > 1 || places_.along.size < 2;
    if (places_.along.size < 2 || (wrap && !places_.along.wraps)) return Seconds(0);
    Seconds sum;
    const HopTable::Hop way = hop(from, to);
    for (std::uint32_t i = way.first; i < way.first + way.count; ++i)
      sum += hops_.cluster().link(hops_.link(i)).latency;
    return sum;
  }

  HopTable& hops_;
  const Places& places_;
  int first_, stride_;
};

std::optional<AllToAllLoad> load_on_grid(HopTable& hops, const std::vector<int>& ranks) {
  const Grid& grid = *hops.cluster().grid;
  const auto box = box_of(grid, ranks);
  if (!box) return std::nullopt;
  Gathered gathered(hops);
  AllToAllLoad load;
  bool broken = false;
  int stride = 1;
  // Routes go along X, then along Y: two places of a line carry the messages of all ranks that agree with it in the
  // dimensions to come to all that agree with it in those behind.
  for (std::size_t d = 0; d < grid.size(); stride *= grid[d++].size) {
    const Places places{(*box)[d], grid[d]};
    const Crossings crossings(places);
    const std::size_t lines = ranks.size() / places.at.size();
    const auto times = static_cast<double>(lines);
    Seconds longest;
    for (const int rank : ranks) {
      const int at = rank / stride % grid[d].size;
      if (at != places.at.front()) continue;
      const GridLine line(hops, places, rank - at * stride, stride);
      line.add_to(gathered, crossings, times);
      broken = broken || line.broken(crossings);
      longest = max(longest, line.latency());
    }
    load.latency += longest;
  }
  if (broken && ranks.size() <= kMostRoutedRanks) return std::nullopt;
  load.links = gathered.sum();
  load.latency += starting_time(hops, load, ranks.size() - 1);
  return load;
}

// `NodeWays` are the ways of a group's ranks out of their nodes and into them, by the leaf switches at their ends.
class NodeWays {
 public:
  NodeWays(HopTable& hops, const std::vector<int>& ranks) : hops_(hops), ranks_(ranks) {
    for (const int rank : ranks) ++in_node_[node(rank)];
  }

  AllToAllLoad load() {
    Gathered gathered(hops_);
    add_inside(gathered);
    if (in_node_.size() > 1) add_outside(gathered);
    AllToAllLoad load;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const Seconds outside = remote_of(ranks_[i]) > 0 ? outside_[leaf_[i]] : Seconds(0);
      load.latency = max(load.latency, max(inside_[i], outside + requests(i)));
    }
    load.latency = std::ceil((double(ranks_.size()) - 1) / kPeersAtOnce) * load.latency;
    load.links = gathered.sum();
    return load;
  }

 private:
  const Vertex& vertex(std::uint32_t v) const { return hops_.cluster().graph[v]; }
  int node(int rank) const { return vertex(hops_.cluster().rank_vertex[rank]).node; }
  double remote_of(int rank) const { return static_cast<double>(ranks_.size()) - in_node_.at(node(rank)); }

  // The messages to other nodes wait for one another: all but the first.
  Seconds requests(std::size_t i) const {
    const double remote = remote_of(ranks_[i]);
    if (remote == 0) return Seconds(0);
    // With PXN a node's messages to one accelerator go together, over NVLink to the NIC next to it.
    const bool joined = hops_.cluster().interconnect == Interconnect::nvswitch;
    const double messages = joined ? double(in_node_.size()) - 1 : remote;
    const Seconds request = kRequests * network_request(hops_.cluster());
    return (messages - 1) * min(request, software_) + (joined ? inside_[i] : Seconds(0));
  }

  void add_inside(Gathered& gathered) {
    std::map<int, std::vector<int>> nodes;
    for (const int rank : ranks_) nodes[node(rank)].push_back(rank);
    for (const int from : ranks_) {
      Seconds& longest = inside_.emplace_back();
      for (const int to : nodes[node(from)]) {
        if (from == to) continue;
        const HopTable::Hop hop = hops_.hop(from, to);
        gathered.add(hop, 1);
        longest = max(longest, hop.alpha);
      }
    }
  }

  int rank_of_another_node(int rank) const {
    const auto first = ranks_.front();
    if (node(first) != node(rank)) return first;
    return *std::find_if(ranks_.begin(), ranks_.end(), [&](int other) { return node(other) != node(rank); });
  }

  // Says whether a vertex belongs to the network and to no node.
  bool in_network(std::uint32_t v) const { return vertex(v).node < 0; }

  // `Ends` are the links of a route up to the first vertex of the network, and from the last one on.
  struct Ends {
    std::uint32_t up = 0, down = 0;            // places in the hop table: [first, up) and [down, end)
    std::uint32_t leaf_from = 0, leaf_to = 0;  // vertices; 0 where the route meets no network switch
  };
  Ends ends(const HopTable::Hop& hop) const {
    Ends ends{hop.first + hop.count, hop.first + hop.count, 0, 0};
    for (std::uint32_t i = hop.first; i < hop.first + hop.count; ++i) {
      const std::uint32_t target = link_target(hops_.cluster().graph, hops_.link(i));
      if (!in_network(target)) continue;
      if (ends.leaf_from == 0) {
        ends.up = i + 1;
        ends.leaf_from = target;
      }
      ends.down = i + 1;
      ends.leaf_to = target;
    }
    return ends;
  }

  void add_outside(Gathered& gathered) {
    for (const int rank : ranks_) {
      const int other = rank_of_another_node(rank);
      const HopTable::Hop out = hops_.hop(rank, other), in = hops_.hop(other, rank);
      const Ends leaving = ends(out), entering = ends(in);
      for (std::uint32_t i = out.first; i < leaving.up; ++i) gathered.add(hops_.link(i), remote_of(rank));
      for (std::uint32_t i = entering.down; i < in.first + in.count; ++i) gathered.add(hops_.link(i), remote_of(rank));
      const auto [at, fresh] = leaf_number_.try_emplace(leaving.leaf_from, leaves_.size());
      if (fresh) leaves_.emplace_back();
      leaf_.push_back(at->second);
      Leaf& leaf = leaves_[at->second];
      leaf.ranks.push_back(rank);
      ++leaf.in_node[node(rank)];
    }
    add_between_leaves(gathered);
  }

  struct Leaf {
    std::vector<int> ranks;
    std::unordered_map<int, double> in_node;
  };

  // Counts the pairs of ranks at two leaves that are in different nodes.
  static double pairs(const Leaf& a, const Leaf& b) {
    double result = static_cast<double>(a.ranks.size()) * static_cast<double>(b.ranks.size());
    const Leaf& fewer = a.in_node.size() < b.in_node.size() ? a : b;
    for (const auto& [node, count] : fewer.in_node) {
      const auto& other = &fewer == &a ? b : a;
      if (const auto at = other.in_node.find(node); at != other.in_node.end()) result -= count * at->second;
    }
    return result;
  }

  // Finds a pair of ranks of two leaves in different nodes; both -1 where there is none.
  std::pair<int, int> example(const Leaf& a, const Leaf& b) const {
    for (const int from : a.ranks)
      for (const int to : b.ranks)
        if (node(from) != node(to)) return {from, to};
    return {-1, -1};
  }

  void add_between_leaves(Gathered& gathered) {
    for (const Leaf& from : leaves_) {
      Seconds& longest = outside_.emplace_back();
      for (const Leaf& to : leaves_) {
        const double messages = pairs(from, to);
        if (messages == 0) continue;
        const auto [a, b] = example(from, to);
        const HopTable::Hop hop = hops_.hop(a, b);
        const Ends between = ends(hop);
        for (std::uint32_t i = between.up; i < between.down; ++i) gathered.add(hops_.link(i), messages);
        for (std::uint32_t i = hop.first; i < hop.first + hop.count; ++i)
          software_ = max(software_, hops_.message(hops_.link(i)));
        longest = max(longest, hop.alpha);
      }
    }
  }

  HopTable& hops_;
  const std::vector<int>& ranks_;
  std::unordered_map<int, int> in_node_;
  std::vector<Seconds> inside_;    // longest to another in its node, by place in ranks_
  std::vector<std::size_t> leaf_;  // by place in ranks_
  std::vector<Leaf> leaves_;
  std::map<std::uint32_t, std::size_t> leaf_number_;
  std::vector<Seconds> outside_;  // longest from a leaf to another node
  Seconds software_;              // of a message between nodes
};

}  // namespace

AllToAllLoad all_to_all_load(HopTable& hops, const std::vector<int>& ranks) {
  if (ranks.size() < 2) return {};
  if (!hops.cluster().grid) return NodeWays(hops, ranks).load();
  if (auto load = load_on_grid(hops, ranks)) return *std::move(load);
  return load_by_pairs(hops, ranks);
}

}  // namespace mlsim::sim
