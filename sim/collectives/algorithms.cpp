#include "sim/collectives/algorithms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"
#include "sim/collectives/nvlink_cycles.hpp"
#include "sim/collectives/planner.hpp"

namespace mlsim {

namespace {

using Kinds = std::vector<CollectiveKind>;

struct Algorithm {
  std::string name;
  Kinds kinds;
  bool (*runs_on)(const Cluster& cluster);
  std::vector<Lane> (*lanes)(const ScheduleRequest& request);
};

bool anywhere(const Cluster&) { return true; }

bool on_two_dimensions(const Cluster& cluster) {
  return cluster.grid && cluster.grid->size_x > 1 && cluster.grid->size_y > 1;
}

bool on_nvlink_mesh(const Cluster& cluster) {
  if (cluster.interconnect != Interconnect::nvlink_mesh || cluster.grid) return false;
  const auto nodes = ranks_by_node(cluster);
  return nodes.size() == 1 && !nvlink_cycles(cluster, nodes.front()).empty();
}

bool on_equal_nodes(const Cluster& cluster) {
  if (cluster.grid) return false;
  const auto nodes = ranks_by_node(cluster);
  return nodes.size() > 1 && nodes.front().size() > 1 &&
         std::all_of(nodes.begin(), nodes.end(), [&](const auto& node) { return node.size() == nodes.front().size(); });
}

const std::vector<Algorithm>& algorithms() {
  using enum CollectiveKind;
  static const Kinds sums{all_reduce, reduce_scatter, all_gather};
  // Where two algorithms take equally long the earlier one is chosen.
  static const std::vector<Algorithm> table{
      {"torus-2d", sums, on_two_dimensions, torus_lanes},
      {"torus-2d-both", sums, on_two_dimensions, torus_both_lanes},
      {"torus-2d-one-way", sums, on_two_dimensions, torus_one_way_lanes},
      {"nvlink-rings", sums, on_nvlink_mesh, nvlink_ring_lanes},
      {"hierarchical", sums, on_equal_nodes, hierarchical_lanes},
      {"hierarchical-tree", {all_reduce}, on_equal_nodes, hierarchical_tree_lanes},
      {"ring", sums, anywhere, ring_lanes},
      {"ring-bidirectional", sums, anywhere, bidirectional_ring_lanes},
      {"line", sums, anywhere, line_lanes},
      {"tree", {all_reduce, broadcast}, anywhere, tree_lanes},
      {"halving-doubling", sums, anywhere, halving_lanes},
      {"chain", {broadcast}, anywhere, chain_lanes},
      {"pairwise", {all_to_all}, anywhere, pairwise_lanes},
      {"neighbour", {halo_exchange}, anywhere, neighbour_lanes},
      {"point-to-point", {send_receive}, anywhere, message_lanes},
  };
  return table;
}

const Algorithm* find_algorithm(const std::string& name) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.name == name) return &algorithm;
  }
  return nullptr;
}

std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

bool runs(const Algorithm& algorithm, const Cluster& cluster, CollectiveKind kind) {
  return std::find(algorithm.kinds.begin(), algorithm.kinds.end(), kind) != algorithm.kinds.end() &&
         algorithm.runs_on(cluster);
}

}  // namespace

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithms()) names.push_back(algorithm.name);
  return names;
}

std::vector<std::string> possible_algorithms(const Cluster& cluster, CollectiveKind kind) {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithms()) {
    if (runs(algorithm, cluster, kind)) names.push_back(algorithm.name);
  }
  return names;
}

bool can_run(const std::string& name, const Cluster& cluster, CollectiveKind kind) {
  const Algorithm* algorithm = find_algorithm(name);
  return algorithm != nullptr && runs(*algorithm, cluster, kind);
}

Schedule build_schedule(const std::string& algorithm, const ScheduleRequest& request) {
  const Algorithm* found = find_algorithm(algorithm);
  if (found == nullptr) throw InputError(unknown_word("collective algorithm", algorithm, algorithm_names()));
  if (!runs(*found, request.cluster, request.kind)) {
    throw Infeasible(fmt::format("{} cannot run {} on {}; these can: {}", algorithm, name(request.kind),
                                 request.cluster.name, list(possible_algorithms(request.cluster, request.kind))));
  }
  Schedule schedule{request.kind, algorithm, request.cluster.ranks(), request.elements, {}};
  if (schedule.ranks > 1) schedule.lanes = found->lanes(request);
  return schedule;
}

}  // namespace mlsim
