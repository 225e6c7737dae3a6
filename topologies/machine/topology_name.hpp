// A topology name is a word or a file, then options: "torus16x16:accelerator=tpu-v3,wrap=y".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units.hpp"
#include "topologies/machine/machine_spec.hpp"

namespace mlsim::topologies {

inline constexpr int kLongestSide = 100000;           // places along a side of a grid
inline constexpr int kMostRanks = 1000000;            // ranks of a grid
inline constexpr int kMostSlices = 1000;              // of one job
inline constexpr int kMostNodeAccelerators = 100000;  // accelerators of a machine of nodes

/// Options stand here as typed, for the canonical name, and as read.
struct TopologyOptions {
  std::vector<std::pair<std::string, std::string>> text;  // without blanks
  std::optional<std::string> accelerator;
  std::optional<BytesPerSecond> link_bandwidth;  // rate of one ICI link, NVLink or (without NVLink) PCIe link
  std::optional<Seconds> link_latency;
  std::optional<Bytes> memory;  // of an accelerator that is sold in several sizes
  std::optional<BytesPerSecond> memory_bandwidth;
  std::optional<double> power;  // W, the limit that is set on a board
  // Grids
  std::optional<std::string> wrap;  // one of wraps_of(), of the whole grid
  std::optional<Grid> slice;        // a smaller box of it
  std::optional<int> slices;        // that a network joins
  // Machines of nodes
  std::optional<int> nodes;
  std::optional<int> per_node;                      // accelerators in use in each
  std::optional<BytesPerSecond> network_bandwidth;  // rate of one node, all NICs, one direction
  std::optional<Seconds> network_latency;           // from NIC to NIC
  std::optional<double> oversubscription;
  std::optional<int> nodes_per_leaf;

  /// Sets an option's text, or drops it where `value` is empty.
  void put(const std::string& key, const std::string& value);
  /// Writes "torus16x16:accelerator=tpu-v2": the head, then the options' text in the order of the grammar.
  std::string canonical_name(const std::string& head) const;
};

struct TopologyName {
  std::string head;                                          // "torus16x16", "dgx2", "mine/pod.yaml"
  std::vector<std::pair<std::string, std::string>> options;  // as typed
  bool is_file() const;
};

/// Throws InputError on an empty name, an option without "=" or one that stands twice.
TopologyName parse_topology_name(std::string_view text);

enum class TopologyKind { grid, nodes };
/// Throws InputError on an option that is unknown, belongs to the other kind, or has a bad value.
TopologyOptions parse_options(const TopologyName& name, TopologyKind kind);

/// "torus16x32" wraps in all dimensions, "mesh16x32" in none. The result is empty where the word is of another kind;
/// throws InputError where it starts as a grid but is none.
std::optional<Grid> parse_grid_word(std::string_view head);

/// wrap= may say one of these of a grid of two or three dimensions.
const std::vector<std::string>& wraps_of(const Grid& grid);

/// Says whether the word begins as the name of a grid, "torus" or "mesh", in any case.
bool begins_grid(std::string head);

/// Gives the options by which the fewest equal slices hold more chips than `most` does, as in "slice=12x16x16:slices=2":
/// all of it, or whole cubes where the machine has them. Empty where none do, or nothing is known of the network
/// between slices.
std::string slices_for(int count, const Grid& most, const MachineSpec& machine);

/// Returns the grid as given; throws InputError beyond kLongestSide or kMostRanks.
Grid checked_grid(const Grid& grid);

}  // namespace mlsim::topologies
