#include "sim/mesh/device_mesh.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace mlsim::sim {

DeviceMesh::DeviceMesh(const Cluster& cluster, Parallelism parallelism, std::vector<MeshDimension> dimensions)
    : parallelism_(parallelism), dimensions_(std::move(dimensions)) {
  int places = 1;
  Parallelism laid;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    int filled = 1;
    for (const auto& [axis, size] : dimensions_[d].axes) {
      slots_.push_back({axis, size, places * filled, d});
      laid[axis] *= size;
      filled *= size;
    }
    if (filled != dimensions_[d].size)
      throw std::logic_error(
          fmt::format("axes of {} ranks on {}, which has {}", filled, dimensions_[d].name, dimensions_[d].size));
    places *= filled;
  }
  if (places != cluster.ranks() || laid != parallelism_)
    throw std::logic_error(
        fmt::format("a mesh of {} for {} on {} ranks", to_text(laid), to_text(parallelism_), cluster.ranks()));
  const RankLayout whole = whole_layout(cluster);
  rank_at_ = whole.groups.front();
  place_of_.resize(rank_at_.size());
  for (std::size_t p = 0; p < rank_at_.size(); ++p) place_of_[rank_at_[p]] = static_cast<int>(p);
}

int DeviceMesh::coordinate(int rank, Axis axis) const {
  const int place = place_of_.at(rank);
  int result = 0, step = 1;
  for (const Slot& slot : slots_) {
    if (slot.axis != axis) continue;
    result += step * digit(place, slot);
    step *= slot.size;
  }
  return result;
}

std::vector<int> DeviceMesh::roles() const {
  std::vector<int> roles;
  if (parallelism_[Axis::pipeline] == 1) return roles;
  for (int rank = 0; rank < ranks(); ++rank) roles.push_back(coordinate(rank, Axis::pipeline));
  return roles;
}

// Places count up from group to group and, within a group, in the order of its coordinates.
std::vector<std::vector<int>> DeviceMesh::grouped(const std::vector<bool>& together, int role) const {
  constexpr int kNone = -1;
  std::vector<int> group_at(rank_at_.size(), kNone);  // by the place of the group's first member
  std::size_t members = 1;
  for (std::size_t s = 0; s < slots_.size(); ++s)
    if (together[s]) members *= static_cast<std::size_t>(slots_[s].size);
  std::vector<std::vector<int>> groups;
  for (std::size_t p = 0; p < rank_at_.size(); ++p) {
    const int place = static_cast<int>(p);
    if (role >= 0 && coordinate(rank_at_[p], Axis::pipeline) != role) continue;
    int first = place;
    for (std::size_t s = 0; s < slots_.size(); ++s)
      if (together[s]) first -= digit(place, slots_[s]) * slots_[s].stride;
    int& group = group_at[first];
    if (group == kNone) {
      group = static_cast<int>(groups.size());
      groups.emplace_back().reserve(members);
    }
    groups[group].push_back(rank_at_[p]);
  }
  return groups;
}

std::vector<std::vector<int>> DeviceMesh::groups(AxisSet axes, int role) const {
  std::vector<bool> together;
  for (const Slot& slot : slots_) together.push_back(axes.has(slot.axis));
  return grouped(together, role);
}

int DeviceMesh::size_along(std::size_t dimension, AxisSet axes) const {
  int size = 1;
  for (const Slot& slot : slots_)
    if (slot.dimension == dimension && axes.has(slot.axis)) size *= slot.size;
  return size;
}

bool DeviceMesh::closes(const Cluster& cluster, std::size_t dimension, AxisSet axes) const {
  if (!cluster.grid || !(*cluster.grid)[dimension].wraps) return false;
  const Slot* outermost = nullptr;
  for (const Slot& slot : slots_)
    if (slot.dimension == dimension && slot.size > 1) outermost = &slot;
  return outermost != nullptr && axes.has(outermost->axis);
}

RankLayout DeviceMesh::layout(const Cluster& cluster, AxisSet axes, int role) const {
  RankLayout layout;
  layout.cluster = &cluster;
  layout.groups = groups(axes, role);
  layout.whole = layout.groups.size() == 1 && layout.group_size() == ranks();
  if (layout.whole) return whole_layout(cluster);
  for (std::size_t d = 0; d < dimensions_.size(); ++d)
    layout.shape.push_back({size_along(d, axes), closes(cluster, d, axes)});
  return layout;
}

std::string DeviceMesh::text() const {
  std::string text;
  for (const MeshDimension& dimension : dimensions_) {
    std::string axes;
    for (const auto& [axis, size] : dimension.axes)
      if (size > 1) axes += fmt::format("{}{} {}", axes.empty() ? "" : " and ", name(axis), size);
    if (!axes.empty()) text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", axes, dimension.name);
  }
  return text.empty() ? "a single rank" : text;
}

std::string DeviceMesh::footprint(AxisSet axes) const {
  std::string text;
  for (const Slot& slot : slots_)
    if (slot.size > 1 && axes.has(slot.axis)) text += fmt::format("{}x{} ", slot.stride, slot.size);
  return text;
}

}  // namespace mlsim::sim
