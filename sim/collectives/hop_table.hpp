// A `HopTable` has the links and the cost of messages between pairs of ranks, looked up once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"
#include "topologies/cluster/route.hpp"

namespace mlsim::sim {

class HopTable {
 public:
  /// The cluster must outlive the table.
  HopTable(const Cluster& cluster, const LinkEfficiency& efficiency);

  /// A hop has `count` links from place `first` of the table; `alpha` is the latency of the route plus the largest
  /// software latency of its links.
  struct Hop {
    std::uint32_t first = 0, count = 0;
    Seconds alpha;
  };
  /// Takes O(log degree) where a link joins the ranks, else goes by route(), once for each pair.
  Hop hop(int from, int to) {
    const auto direct = direct_link(cluster_.rank_vertex[from], cluster_.rank_vertex[to]);
    return direct ? Hop{*direct, 1, alpha_[*direct]} : routed(from, to);
  }

  LinkIndex link(std::uint32_t place) const { return place < links() ? place : routed_[place - links()]; }
  /// Gives the place where a link stands by itself.
  static std::uint32_t place(LinkIndex link) { return link; }
  /// Gives what software reaches of the link.
  BytesPerSecond rate(LinkIndex link) const { return rate_[link]; }
  /// Gives the software latency of a message that crosses the link.
  Seconds message(LinkIndex link) const { return efficiency_[cluster_.link(link).kind].message; }
  std::size_t links() const { return target_.size(); }
  /// Gives a place for the load of each link, zeros; whoever adds to it leaves zeros behind.
  std::vector<double>& load() { return load_; }
  const Cluster& cluster() const { return cluster_; }

 private:
  std::optional<LinkIndex> direct_link(std::uint32_t from, std::uint32_t to) const {
    constexpr LinkIndex kFew = 8;  // links of a vertex that are quicker walked than halved
    LinkIndex low = first_link_[from], high = first_link_[from + 1];
    const LinkIndex end = high;
    while (high - low > kFew) {
      const LinkIndex middle = low + (high - low) / 2;
      (target_[middle] < to ? low : high) = middle;
    }
    while (low < end && target_[low] < to) ++low;
    return low < end && target_[low] == to ? std::optional(low) : std::nullopt;
  }
  Hop routed(int from, int to);

  const Cluster& cluster_;
  topologies::RouteFinder routes_;
  const LinkEfficiency efficiency_;
  // The graph's own rows are flat here: a schedule asks for hundreds of thousands of neighbours.
  std::vector<LinkIndex> first_link_;  // by vertex, and the end
  std::vector<std::uint32_t> target_;  // by link, ascending for each vertex
  std::vector<Seconds> alpha_;         // by link, of a message that crosses it alone
  std::vector<BytesPerSecond> rate_;   // by link
  std::vector<double> load_;           // by link
  std::vector<LinkIndex> routed_;      // the routes; their places come after those of links by themselves
  struct HopTo {
    int to = 0;
    Hop hop;
  };
  std::vector<std::vector<HopTo>> hops_from_;  // by rank, ascending: a rank speaks to few
  // The hop that was asked for last stands at this place among its rank's; the next rank's often stands at the same.
  std::size_t place_ = 0;
};

}  // namespace mlsim::sim
