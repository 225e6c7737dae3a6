#include "sim/fold/placed_schedule.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace mlsim::sim {
namespace {

Pipeline pipeline_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::line_reduce_scatter: return Pipeline::line_reduce;
    case Pattern::line_all_gather: return Pipeline::line_gather;
    case Pattern::tree_all_reduce:
    case Pattern::tree_broadcast:
    case Pattern::chain_broadcast: return Pipeline::tree;
    default: return Pipeline::none;
  }
}

// In a reduce-scatter the hop p to p+1 carries the pieces of the positions beyond it, p+1 .. n-1; in an all-gather it
// carries those of the positions up to p. Trees and chains send every chunk once.
int own_rounds(const NeighbourFlow& flow, Pipeline pipeline, int positions, int chunks) {
  const bool up = flow.to > flow.from;
  switch (pipeline) {
    case Pipeline::line_reduce: return up ? positions - flow.to : flow.to + 1;
    case Pipeline::line_gather: return up ? flow.to : positions - flow.from;
    case Pipeline::tree: return chunks;
    case Pipeline::none: break;
  }
  return flow.rounds;
}

// Every pattern cuts this without a rest: into positions, chunks, and the 2^k <= positions of recursive halving.
std::uint64_t divisible_size(int positions, int chunks) {
  const auto n = static_cast<std::uint64_t>(positions);
  return 2 * n * std::bit_floor(n) * static_cast<std::uint64_t>(chunks);
}

// Connected components are numbered by their first position; a position without a flow is alone.
std::vector<std::uint32_t> components(int positions, const std::vector<NeighbourFlow>& flows) {
  std::vector<std::uint32_t> parent(positions);
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t p) {
    while (parent[p] != p) p = parent[p] = parent[parent[p]];
    return p;
  };
  for (const NeighbourFlow& flow : flows) {
    const std::uint32_t a = root(static_cast<std::uint32_t>(flow.from)), b = root(static_cast<std::uint32_t>(flow.to));
    parent[std::max(a, b)] = std::min(a, b);
  }
  for (std::uint32_t p = 0; p < parent.size(); ++p) parent[p] = root(p);
  return parent;
}

StageShape stage_shape(const PhaseGroup& group, int stage, bool one_part) {
  const int n = static_cast<int>(group.ranks.size());
  StageShape shape;
  shape.pipeline = pipeline_of(group.pattern);
  const std::vector<NeighbourFlow> flows = stage_flows(group, stage);
  std::vector<std::uint32_t> part(group.ranks.size(), 0);
  if (!one_part) part = components(n, flows);

  shape.members.resize(group.ranks.size());
  std::iota(shape.members.begin(), shape.members.end(), 0u);
  std::stable_sort(shape.members.begin(), shape.members.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return part[a] < part[b]; });
  const auto size = static_cast<double>(group.data.size());
  for (const NeighbourFlow& flow : flows)
    shape.hops.push_back({static_cast<std::uint32_t>(flow.from), static_cast<std::uint32_t>(flow.to),
                          flow.elements / size, static_cast<std::uint32_t>(flow.rounds),
                          static_cast<std::uint32_t>(own_rounds(flow, shape.pipeline, n, group.chunks))});
  std::stable_sort(shape.hops.begin(), shape.hops.end(),
                   [&](const StageHop& a, const StageHop& b) { return part[a.from] < part[b.from]; });

  std::uint32_t hop = 0;
  for (std::uint32_t m = 0; m < shape.members.size(); ++m) {
    const std::uint32_t here = part[shape.members[m]];
    if (m > 0 && part[shape.members[m - 1]] == here) continue;
    while (hop < shape.hops.size() && part[shape.hops[hop].from] < here) ++hop;
    shape.first_member.push_back(m);
    shape.first_hop.push_back(hop);
  }
  shape.first_member.push_back(static_cast<std::uint32_t>(shape.members.size()));
  shape.first_hop.push_back(static_cast<std::uint32_t>(shape.hops.size()));
  return shape;
}

}  // namespace

std::vector<StageShape> stage_shapes(Pattern pattern, int positions, int chunks) {
  if (pattern == Pattern::line_all_reduce) {
    // The two halves have their idle rounds at different hops, so that a slow hop costs its own rounds of each half.
    auto shapes = stage_shapes(Pattern::line_reduce_scatter, positions, chunks);
    for (auto& shape : stage_shapes(Pattern::line_all_gather, positions, chunks)) shapes.push_back(std::move(shape));
    return shapes;
  }
  PhaseGroup group;
  group.pattern = pattern;
  group.ranks.assign(positions, 0);
  group.chunks = std::max(1, chunks);
  group.data = {0, divisible_size(positions, group.chunks)};
  std::vector<StageShape> shapes;
  const int stages = stage_count(group);
  for (int stage = 0; stage < stages; ++stage) shapes.push_back(stage_shape(group, stage, stages == 1));
  return shapes;
}

}  // namespace mlsim::sim
