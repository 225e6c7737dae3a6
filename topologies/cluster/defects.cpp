#include "topologies/cluster/defects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "topologies/cluster/cluster_graph.hpp"
#include "topologies/cluster/place.hpp"

namespace mlsim::topologies {
namespace {

constexpr double kSlowestRank = 1e-6;  // below this a rank stands still

std::pair<std::string, std::string> parse_ends(std::string_view text, std::string_view whole) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos || dash == 0 || dash + 1 == text.size())
    throw InputError(fmt::format("\"{}\" names no link; write its two ends, as in x0y0-x1y0 or gpu0-gpu3", whole));
  return {std::string(text.substr(0, dash)), std::string(text.substr(dash + 1))};
}

/// Splits the text at its last colon.
std::pair<std::string_view, double> parse_factor(std::string_view text, std::string_view example) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos)
    throw InputError(fmt::format("\"{}\" has no factor; write it after a colon, as in {}", text, example));
  try {
    return {text.substr(0, colon), parse_number(text.substr(colon + 1))};
  } catch (const InputError& e) {
    throw InputError(fmt::format("\"{}\": {}", text, e.reason()));
  }
}

constexpr std::size_t kMostNeighboursNamed = 12;

std::string neighbour_names(const Cluster& cluster, std::uint32_t vertex) {
  const LinkRange range = links_from(cluster.graph, vertex);
  std::string names;
  for (LinkIndex i = range.first; i < range.last; ++i) {
    if (i - range.first == kMostNeighboursNamed) return names + " and more";
    names += (names.empty() ? "" : ", ") + place_name(cluster, link_target(cluster.graph, i));
  }
  return names.empty() ? "none" : names;
}

using Ends = std::pair<std::uint32_t, std::uint32_t>;

/// "node3" with "network" names all links of the node's NICs to the network.
std::vector<Ends> node_uplinks(const Cluster& cluster, const Defects::SlowLink& link) {
  const bool first = link.from.substr(0, 4) == "node";
  const std::string& node_word = first ? link.from : link.to;
  const std::string& other = first ? link.to : link.from;
  int node = 0;
  try {
    node = parse_count(std::string_view(node_word).substr(4), 0);
  } catch (const InputError& e) {
    throw InputError(fmt::format("\"{}\": {}", node_word, e.reason()));
  }
  if (cluster.nodes == 1)
    throw InputError(fmt::format("\"{}\": {} is one node without a network", node_word, cluster.name));
  if (node >= cluster.nodes)
    throw InputError(
        fmt::format("\"{}\" does not exist: {} has nodes 0 to {}", node_word, cluster.name, cluster.nodes - 1));
  if (other != "network")
    throw InputError(fmt::format("\"{}\" has links to the network only; write {}-network", node_word, node_word));
  std::vector<Ends> ends;
  for (std::uint32_t v = 0; v < boost::num_vertices(cluster.graph); ++v) {
    if (cluster.graph[v].kind != VertexKind::nic || cluster.graph[v].node != node) continue;
    if (const auto above = last_neighbour(cluster.graph, v, VertexKind::network_switch)) ends.emplace_back(v, *above);
  }
  return ends;
}

std::vector<Ends> ends_of(const Cluster& cluster, const Defects::SlowLink& link) {
  if (!cluster.grid && (link.from.substr(0, 4) == "node" || link.to.substr(0, 4) == "node"))
    return node_uplinks(cluster, link);
  const Ends ends{find_place(cluster, link.from), find_place(cluster, link.to)};
  if (!find_link(cluster.graph, ends.first, ends.second))
    throw InputError(fmt::format("there is no link {}-{} in {}; the neighbours of {} are {}", link.from, link.to,
                                 cluster.name, link.from, neighbour_names(cluster, ends.first)));
  return {ends};
}

void scale(ClusterGraph& graph, std::uint32_t from, std::uint32_t to, double factor) {
  link_at(graph, *find_link(graph, from, to)).bandwidth *= factor;
}

ClusterGraph without_dead_links(const ClusterGraph& graph) {
  const Blueprint all = blueprint_of(graph);
  Blueprint rest;
  rest.vertices = all.vertices;
  for (std::size_t i = 0; i < all.ends.size(); ++i) {
    if (all.links[i].bandwidth.value <= 0) continue;
    rest.ends.push_back(all.ends[i]);
    rest.links.push_back(all.links[i]);
  }
  return graph_of(rest);
}

void slow_down(Cluster& cluster, std::size_t rank, double factor) {
  if (cluster.rank_speed.empty()) cluster.rank_speed.assign(cluster.rank_vertex.size(), 1.0);
  cluster.rank_speed[rank] *= factor;
}

// A part that is named twice would be slow by both factors.
void refuse_twice(const Defects& defects) {
  std::set<std::string> named;
  const auto add = [&](const std::string& what) {
    if (!named.insert(what).second) throw InputError(fmt::format("{} is named twice", what));
  };
  for (const auto& link : defects.links) add(fmt::format("link {}-{}", link.from, link.to));
  for (const auto& link : defects.links) {
    if (link.from != link.to && named.contains(fmt::format("link {}-{}", link.to, link.from)))
      throw InputError(fmt::format("link {}-{} is named twice, once from each end", link.from, link.to));
  }
  for (const auto& slow : defects.ranks) add(fmt::format("slow rank {}", slow.rank));
  for (const auto& slow : defects.hosts) add(fmt::format("slow host {}", slow.host));
}

/// Parses the number and the factor of a slow rank or host.
std::pair<int, double> parse_slow_part(std::string_view what, std::string_view text, std::string_view example) {
  const auto [number, factor] = parse_factor(text, example);
  if (factor < kSlowestRank || factor > 1)
    throw InputError(fmt::format("\"{}\": the factor of a slow {} is its share of the full speed, {:g} to 1", text,
                                 what, kSlowestRank));
  try {
    return {parse_count(number, 0), factor};
  } catch (const InputError& e) {
    throw InputError(fmt::format("\"{}\": {}: {}", text, what, e.reason()));
  }
}

/// Throws InputError where the cluster has no such host.
std::vector<std::size_t> ranks_of_host(const Cluster& cluster, int host) {
  std::vector<std::size_t> ranks;
  const auto hosts = rank_hosts(cluster);
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    if (hosts[rank] == host) ranks.push_back(rank);
  }
  if (ranks.empty())
    throw InputError(fmt::format("slow host {} does not exist: {} has hosts 0 to {}", host, cluster.name,
                                 *std::max_element(hosts.begin(), hosts.end())));
  return ranks;
}

}  // namespace

Defects::SlowLink parse_slow_link(std::string_view text) {
  const auto [link, factor] = parse_factor(text, "x0y0-x1y0:0.5");
  if (factor < 0 || factor > 1)
    throw InputError(
        fmt::format("\"{}\": the factor of a slow link is its share of the full rate, 0 (failed) to 1", text));
  auto [from, to] = parse_ends(link, text);
  return {std::move(from), std::move(to), factor};
}

Defects::SlowLink parse_failed_link(std::string_view text) {
  if (text.find(':') != std::string_view::npos)
    throw InputError(fmt::format("\"{}\": a failed link has no factor; a slow one is slow_link={}", text, text));
  auto [from, to] = parse_ends(text, text);
  return {std::move(from), std::move(to), 0};
}

Defects::SlowRank parse_slow_rank(std::string_view text) {
  const auto [rank, factor] = parse_slow_part("rank", text, "17:0.9");
  return {rank, factor};
}

Defects::SlowHost parse_slow_host(std::string_view text) {
  const auto [host, factor] = parse_slow_part("host", text, "3:0.8");
  return {host, factor};
}

void apply_defects(Cluster& cluster, const Defects& defects) {
  refuse_twice(defects);
  std::vector<std::pair<Ends, double>> changes;
  for (const auto& link : defects.links)
    for (const auto& ends : ends_of(cluster, link)) changes.emplace_back(ends, link.factor);
  bool failed = false;
  for (const auto& [ends, factor] : changes) {
    scale(cluster.graph, ends.first, ends.second, factor);
    scale(cluster.graph, ends.second, ends.first, factor);
    failed = failed || factor == 0;
  }
  if (failed) cluster.graph = without_dead_links(cluster.graph);
  for (const auto& slow : defects.ranks) {
    if (slow.rank < 0 || slow.rank >= cluster.ranks())
      throw InputError(fmt::format("slow rank {} does not exist: {} has ranks 0 to {}", slow.rank, cluster.name,
                                   cluster.ranks() - 1));
    slow_down(cluster, slow.rank, slow.factor);
  }
  for (const auto& slow : defects.hosts) {
    for (const std::size_t rank : ranks_of_host(cluster, slow.host)) slow_down(cluster, rank, slow.factor);
  }
}

}  // namespace mlsim::topologies
