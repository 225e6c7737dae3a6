#include "topologies/cluster/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::topologies {
namespace {

/// A label has the letters and the number of "gpu17"; no number where none follows.
struct Label {
  std::string_view word;
  std::optional<int> number;
};

constexpr std::size_t kMostDigits = 9;  // no rank has more

Label parse_label(std::string_view name) {
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  const auto digit = std::find_if(name.begin(), name.end(), is_digit);
  const std::size_t length = digit - name.begin();
  const std::string_view number = name.substr(length);
  if (number.empty() || number.size() > kMostDigits || !std::all_of(digit, name.end(), is_digit))
    return {name, std::nullopt};
  return {name.substr(0, length), parse_count(number, 0)};
}

/// The fabric's last switch joins all others; with one switch there is nothing else.
bool has_leaves(const Cluster& cluster) {
  const auto vertices = boost::num_vertices(cluster.graph);
  return vertices > 0 && cluster.graph[vertices - 1].kind == VertexKind::network_switch &&
         cluster.graph[vertices - 1].index > 0;
}

// Returns the letter of a dimension; the last one counts slices where they are joined.
char letter_of(const Cluster& cluster, std::size_t dimension) {
  return cluster.slices > 1 && dimension + 1 == cluster.grid->size() ? kSliceLetter : kDimensionLetters[dimension];
}

std::uint32_t grid_place(const Cluster& cluster, std::string_view name) {
  const Grid& grid = *cluster.grid;
  const InputError wrong(fmt::format("unknown place \"{}\"; {} has the places {} to {}", name, cluster.name,
                                     place_name(cluster, cluster.rank_vertex.front()),
                                     place_name(cluster, cluster.rank_vertex.back())));
  std::string_view rest = name;
  int rank = 0, stride = 1;
  try {
    for (std::size_t d = 0; d < grid.size(); stride *= grid[d++].size) {
      if (!rest.starts_with(letter_of(cluster, d))) throw wrong;
      const auto end = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
      rank += stride * parse_count(rest.substr(1, end - 1), 0, grid[d].size - 1);
      rest.remove_prefix(end);
    }
  } catch (const InputError&) {
    throw wrong;
  }
  if (!rest.empty()) throw wrong;
  return cluster.rank_vertex[rank];
}

std::uint32_t rank_place(const Cluster& cluster, std::string_view name, int rank) {
  if (rank >= cluster.ranks())
    throw InputError(
        fmt::format("\"{}\" does not exist: {} has ranks 0 to {}", name, cluster.name, cluster.ranks() - 1));
  return cluster.rank_vertex[rank];
}

const std::vector<std::pair<std::string_view, VertexKind>>& kind_words() {
  static const std::vector<std::pair<std::string_view, VertexKind>> words{{"host", VertexKind::host},
                                                                          {"nvswitch", VertexKind::link_switch},
                                                                          {"pcie", VertexKind::pcie_switch},
                                                                          {"nic", VertexKind::nic},
                                                                          {"leaf", VertexKind::network_switch}};
  return words;
}

}  // namespace

std::string place_name(const Cluster& cluster, std::uint32_t vertex) {
  const Vertex& v = cluster.graph[vertex];
  if (v.kind == VertexKind::accelerator) {
    if (!cluster.grid) return fmt::format("gpu{}", v.index);
    std::string name;
    int rest = v.index;
    for (std::size_t d = 0; d < cluster.grid->size(); rest /= (*cluster.grid)[d++].size)
      name += fmt::format("{}{}", letter_of(cluster, d), rest % (*cluster.grid)[d].size);
    return name;
  }
  if (v.kind == VertexKind::network_switch && vertex + 1 == boost::num_vertices(cluster.graph)) return "network";
  const auto word =
      std::find_if(kind_words().begin(), kind_words().end(), [&](const auto& entry) { return entry.second == v.kind; });
  return fmt::format("{}{}", word->first, v.index);
}

std::uint32_t find_place(const Cluster& cluster, std::string_view name) {
  const auto [word, number] = parse_label(name);
  if (number && (word == "gpu" || word == "rank")) return rank_place(cluster, name, *number);
  if (cluster.grid) return grid_place(cluster, name);
  const auto vertices = static_cast<std::uint32_t>(boost::num_vertices(cluster.graph));
  if (name == "network" && cluster.nodes > 1) return vertices - 1;
  for (const auto& [kind_word, kind] : kind_words()) {
    if (word != kind_word || !number || (word == "leaf" && !has_leaves(cluster))) continue;
    for (std::uint32_t v = 0; v < vertices; ++v) {
      if (cluster.graph[v].kind == kind && cluster.graph[v].index == *number && place_name(cluster, v) == name)
        return v;
    }
  }
  throw InputError(
      fmt::format("unknown place \"{}\"; {} has gpu0 to gpu{} and {}", name, cluster.name, cluster.ranks() - 1,
                  cluster.nodes > 1 ? "host, pcie, nvswitch, nic, node and network" : "host, pcie and nvswitch"));
}

std::vector<std::int32_t> rank_hosts(const Cluster& cluster) {
  std::vector<std::int32_t> hosts(cluster.rank_vertex.size());
  const int share = cluster.grid && cluster.host ? cluster.host->accelerators : 0;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    hosts[rank] = share > 0 ? static_cast<std::int32_t>(rank) / share : cluster.graph[cluster.rank_vertex[rank]].node;
  }
  return hosts;
}

}  // namespace mlsim::topologies
