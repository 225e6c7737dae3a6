#include "sim/mesh/mesh_mapping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>

#include "core/text/errors.hpp"
#include "core/text/split.hpp"

namespace mlsim::sim {

namespace {

constexpr auto kPlace = "--set mesh";

// Axes stand from the inside out: the more often one speaks in a step, the nearer its ranks.
constexpr Axis kUsualOrder[] = {Axis::tensor,    Axis::columns, Axis::spatial,  Axis::context, Axis::normalization,
                                Axis::embedding, Axis::expert,  Axis::pipeline, Axis::data,    Axis::replica};

void check_size(const Cluster& cluster, const Parallelism& parallelism) {
  if (parallelism.ranks() == cluster.ranks()) return;
  Parallelism nearest = parallelism;
  const int others = parallelism.ranks() / parallelism[Axis::data];
  nearest[Axis::data] = std::max(1, cluster.ranks() / others);
  if (nearest.ranks() != cluster.ranks()) nearest = data_parallel(cluster.ranks());
  throw Infeasible(fmt::format("{} does not cover the {} accelerators of {}; {} does", to_text(parallelism),
                               cluster.ranks(), cluster.name, to_text(nearest)));
}

// Counts the places of a dimension that no axis has taken yet.
int room(const MeshDimension& dimension) {
  int taken = 1;
  for (const auto& [axis, size] : dimension.axes) taken *= size;
  return dimension.size / taken;
}

// Assigns the largest factor of `size` that still fits this dimension and returns the rest.
int take(MeshDimension& dimension, Axis axis, int size) {
  const int part = std::gcd(size, room(dimension));
  if (part > 1) dimension.axes.emplace_back(axis, part);
  return size / part;
}

// Prime by prime all sizes together are as large as all dimensions together, so that every order fits.
std::vector<MeshDimension> laid_out(std::vector<MeshDimension> dimensions, const Parallelism& parallelism,
                                    const std::vector<Axis>& order, bool from_last) {
  for (const Axis axis : order) {
    int rest = parallelism[axis];
    for (std::size_t i = 0; i < dimensions.size(); ++i)
      rest = take(dimensions[from_last ? dimensions.size() - 1 - i : i], axis, rest);
  }
  return dimensions;
}

std::string lower(std::string word) {
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

struct MeshItem {
  Axis axis;
  std::size_t dimension;
};

Axis axis_named(const std::string& word) {
  try {
    return parse<Axis>(word);
  } catch (const InputError& error) {
    throw InputError(kPlace, error.reason());
  }
}

std::vector<MeshItem> parse_items(const std::string& text, const std::vector<MeshDimension>& dimensions) {
  std::vector<std::string> places;
  for (const MeshDimension& dimension : dimensions) places.push_back(lower(dimension.name));
  std::vector<MeshItem> items;
  for (const std::string& item : split(text, ',')) {
    const auto colon = item.find(':');
    if (colon == std::string::npos)
      throw InputError(kPlace, fmt::format("\"{}\" is not of the form axis:dimension, as in {}:{}", item.substr(0, 80),
                                           name(Axis::data), places.front()));
    const std::string axis = item.substr(0, colon), place = lower(item.substr(colon + 1));
    const Axis found_axis = axis_named(axis);
    const auto found_place = std::find(places.begin(), places.end(), place);
    if (found_place == places.end()) throw InputError(kPlace, unknown_word("dimension", place, places));
    items.push_back({found_axis, static_cast<std::size_t>(found_place - places.begin())});
  }
  return items;
}

// Writes "spatial:x,data:x,data:y".
std::string mapping_text(const DeviceMesh& mesh) {
  std::string text;
  for (const MeshDimension& dimension : mesh.dimensions())
    for (const auto& [axis, size] : dimension.axes)
      text += fmt::format("{}{}:{}", text.empty() ? "" : ",", name(axis), lower(dimension.name));
  return text;
}

// Finds the possible mapping with most of the requested items.
std::string nearest_mapping(const Cluster& cluster, const Parallelism& parallelism,
                            const std::vector<MeshItem>& items) {
  std::string nearest;
  std::ptrdiff_t most = -1;
  for (const DeviceMesh& mesh : possible_meshes(cluster, parallelism)) {
    std::ptrdiff_t same = 0;
    for (const MeshItem& item : items) {
      const auto& axes = mesh.dimensions()[item.dimension].axes;
      same += std::count_if(axes.begin(), axes.end(), [&](const auto& entry) { return entry.first == item.axis; });
    }
    if (same <= most) continue;
    most = same;
    nearest = mapping_text(mesh);
  }
  return nearest;
}

void check_items(const std::vector<MeshItem>& items, const Cluster& cluster, const Parallelism& parallelism,
                 const std::vector<MeshDimension>& dimensions) {
  std::set<std::pair<Axis, std::size_t>> seen;
  AxisSet named;
  for (const MeshItem& item : items) {
    if (!seen.insert({item.axis, item.dimension}).second)
      throw InputError(kPlace, fmt::format("{} is on {} twice", name(item.axis), dimensions[item.dimension].name));
    named = named | item.axis;
  }
  for (std::size_t i = 0; i < kAxes; ++i) {
    const Axis axis = static_cast<Axis>(i);
    if (parallelism[axis] > 1 && !named.has(axis))
      throw InputError(kPlace, fmt::format("{} {} is on no dimension; \"{}\" has all axes", name(axis),
                                           parallelism[axis], nearest_mapping(cluster, parallelism, items)));
  }
}

}  // namespace

std::vector<MeshDimension> physical_dimensions(const Cluster& cluster) {
  const Grid shape = whole_layout(cluster).shape;
  if (shape.size() == 1 && !cluster.grid) return {{"ranks", shape.front().size, {}}};
  std::vector<MeshDimension> dimensions;
  for (std::size_t d = 0; d < shape.size(); ++d) dimensions.push_back({dimension_name(cluster, d), shape[d].size, {}});
  while (dimensions.size() > 1 && dimensions.back().size == 1) dimensions.pop_back();
  return dimensions;
}

std::vector<DeviceMesh> possible_meshes(const Cluster& cluster, const Parallelism& parallelism, std::size_t most) {
  check_size(cluster, parallelism);
  const std::vector<MeshDimension> dimensions = physical_dimensions(cluster);
  std::vector<Axis> axes;
  for (const Axis axis : kUsualOrder)
    if (parallelism[axis] > 1) axes.push_back(axis);
  std::vector<std::size_t> order(axes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<DeviceMesh> meshes;
  std::set<std::string> known;
  do {
    std::vector<Axis> ordered;
    for (const std::size_t i : order) ordered.push_back(axes[i]);
    for (const bool from_last : {false, true}) {
      if (from_last && !cluster.grid) continue;
      if (meshes.size() >= most) return meshes;
      auto laid = laid_out(dimensions, parallelism, ordered, from_last);
      std::string key;
      for (const MeshDimension& dimension : laid) {
        for (const auto& [axis, size] : dimension.axes) key += fmt::format("{} {},", name(axis), size);
        key += ";";
      }
      if (known.insert(key).second) meshes.emplace_back(cluster, parallelism, std::move(laid));
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return meshes;
}

DeviceMesh parse_mesh(const Cluster& cluster, const Parallelism& parallelism, const std::string& text) {
  check_size(cluster, parallelism);
  std::vector<MeshDimension> dimensions = physical_dimensions(cluster);
  const std::vector<MeshItem> items = parse_items(text, dimensions);
  check_items(items, cluster, parallelism, dimensions);
  Parallelism rest = parallelism;
  for (const MeshItem& item : items) rest[item.axis] = take(dimensions[item.dimension], item.axis, rest[item.axis]);
  for (const MeshItem& item : items) {
    if (rest[item.axis] == 1) continue;
    throw Infeasible(fmt::format("{} {} does not fit on {} of {} as \"{}\" has it; \"{}\" does", name(item.axis),
                                 parallelism[item.axis], dimensions[item.dimension].name,
                                 dimensions[item.dimension].size, text.substr(0, 200),
                                 nearest_mapping(cluster, parallelism, items)));
  }
  return {cluster, parallelism, std::move(dimensions)};
}

}  // namespace mlsim::sim
