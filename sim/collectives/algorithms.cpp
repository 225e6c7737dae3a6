#include "sim/collectives/algorithms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/errors.hpp"

namespace mlsim::sim {

namespace {

using Kinds = std::vector<CollectiveKind>;

struct Algorithm {
  std::string name;
  Kinds kinds;
  bool (*runs_on)(const RankLayout& layout);
  std::vector<Lane> (*lanes)(const ScheduleRequest& request);
  AlgorithmTraits traits = {};
};

bool anywhere(const RankLayout&) { return true; }

std::ptrdiff_t dimensions(const RankLayout& layout) {
  return layout.cluster->grid
             ? std::ranges::count_if(layout.shape, [](const GridDimension& each) { return each.size > 1; })
             : 0;
}

bool on_two_dimensions(const RankLayout& layout) { return dimensions(layout) == 2; }

// Slices count as one more.
bool on_three_dimensions(const RankLayout& layout) { return dimensions(layout) >= 3; }

// Slices of two dimensions take them in turn, as pods of two dimensions do.
bool spans_planes(const RankLayout& layout) { return spans_slices(layout) && layout.shape.size() == 3; }

bool off_planes(const RankLayout& layout) { return !spans_planes(layout); }

bool on_nvlink_mesh(const RankLayout& layout) { return nvlink_rings(layout) > 0; }

bool on_equal_nodes(const RankLayout& layout) { return !layout.cluster->grid && layout.multidimensional(); }

// A second choice has a quicker relative nearly everywhere, or takes long to cost.
bool nowhere(const RankLayout&) { return false; }

bool on_grids(const RankLayout& layout) { return layout.cluster->grid.has_value(); }

bool off_grids(const RankLayout& layout) { return !on_grids(layout); }

// Elsewhere ranks do not stand in a line.
bool on_grid_rows(const RankLayout& layout) { return on_grids(layout) && !layout.multidimensional(); }

bool on_few_thousand_ranks(const RankLayout& layout) {
  constexpr std::size_t most_ranks = 4096;
  return layout.groups.size() * static_cast<std::size_t>(layout.group_size()) <= most_ranks;
}

const std::vector<Algorithm>& algorithms() {
  using enum CollectiveKind;
  static const Kinds sums{all_reduce, reduce_scatter, all_gather};
  // Where two algorithms take equally long the earlier one is chosen.
  static const std::vector<Algorithm> table{
      {"torus-2d", sums, on_two_dimensions, torus_lanes, {.structured = true}},
      {"torus-2d-both", sums, on_two_dimensions, torus_both_lanes, {.structured = true, .is_second_choice = anywhere}},
      // torus-2d-one-way has one direction, torus-2d both.
      {"torus-2d-one-way",
       sums,
       on_two_dimensions,
       torus_one_way_lanes,
       {.structured = true, .worth_costing = nowhere}},
      {"torus-3d", sums, on_three_dimensions, torus_both_lanes, {.structured = true, .is_second_choice = spans_planes}},
      {"torus-3d-in-turn",
       sums,
       on_three_dimensions,
       torus_lanes,
       {.structured = true, .is_second_choice = off_planes}},
      {"nvlink-rings", sums, on_nvlink_mesh, nvlink_ring_lanes, {.structured = true}},
      {"hierarchical", sums, on_equal_nodes, hierarchical_lanes, {.structured = true}},
      {"hierarchical-tree", {all_reduce}, on_equal_nodes, hierarchical_tree_lanes, {.structured = true}},
      {"ring", sums, anywhere, ring_lanes, {.is_second_choice = on_grids}},
      {"ring-bidirectional", sums, anywhere, bidirectional_ring_lanes, {.is_second_choice = off_grids}},
      {"line", sums, anywhere, line_lanes, {.worth_costing = on_grid_rows}},
      {"tree", {all_reduce, broadcast}, anywhere, tree_lanes, {.is_second_choice = on_grids}},
      {"halving-doubling",
       sums,
       anywhere,
       halving_lanes,
       {.worth_costing = on_few_thousand_ranks, .is_second_choice = anywhere}},
      {"chain", {broadcast}, anywhere, chain_lanes},
      {"pairwise", {all_to_all}, anywhere, pairwise_lanes},
      {"by-node", {all_to_all}, on_equal_nodes, by_node_lanes, {.makes_copies = true}},
      {"neighbour", {halo_exchange}, anywhere, neighbour_lanes},
      {"point-to-point", {send_receive}, anywhere, message_lanes},
  };
  return table;
}

const Algorithm& algorithm_of(const std::string& name) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.name == name) return algorithm;
  }
  throw InputError(unknown_word("collective algorithm", name, algorithm_names()));
}

std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

bool runs(const Algorithm& algorithm, const RankLayout& layout, CollectiveKind kind, int copies) {
  return std::find(algorithm.kinds.begin(), algorithm.kinds.end(), kind) != algorithm.kinds.end() &&
         algorithm.runs_on(layout) && (copies > 1 || !algorithm.traits.makes_copies);
}

}  // namespace

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithms()) names.push_back(algorithm.name);
  return names;
}

std::vector<std::string> possible_algorithms(const RankLayout& layout, CollectiveKind kind, int copies) {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithms()) {
    if (runs(algorithm, layout, kind, copies)) names.push_back(algorithm.name);
  }
  return names;
}

std::vector<std::string> possible_algorithms(const Cluster& cluster, CollectiveKind kind) {
  return possible_algorithms(whole_layout(cluster), kind);
}

bool is_possible(const std::string& algorithm, const RankLayout& layout, CollectiveKind kind, int copies) {
  return runs(algorithm_of(algorithm), layout, kind, copies);
}

const AlgorithmTraits& traits_of(const std::string& algorithm) { return algorithm_of(algorithm).traits; }

Schedule build_schedule(const std::string& algorithm, const ScheduleRequest& request) {
  const Algorithm& found = algorithm_of(algorithm);
  if (request.layout == nullptr) {
    const RankLayout layout = whole_layout(request.cluster);
    return build_schedule(algorithm,
                          {request.cluster, request.kind, request.elements, request.chunks, &layout, request.copies});
  }
  const RankLayout& layout = *request.layout;
  if (!runs(found, layout, request.kind, request.copies)) {
    throw Infeasible(fmt::format("{} cannot run {} on {}; these can: {}", algorithm, name(request.kind), layout.text(),
                                 list(possible_algorithms(layout, request.kind, request.copies))));
  }
  Schedule schedule{request.kind, algorithm, request.cluster.ranks(), request.elements, {}, {}};
  if (!layout.whole) schedule.groups = layout.groups;
  if (layout.group_size() > 1) schedule.lanes = found.lanes(request);
  return schedule;
}

}  // namespace mlsim::sim
