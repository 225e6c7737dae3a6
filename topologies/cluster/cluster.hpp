// A `Cluster` is the machine: accelerators, switches, NICs and the directed links between them, as a Boost graph.
#pragma once

#include <boost/graph/compressed_sparse_row_graph.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/kernel/precision.hpp"
#include "core/profile/provenance.hpp"
#include "core/text/words.hpp"
#include "core/units.hpp"
#include "topologies/cluster/grid.hpp"

namespace mlsim::topologies {

/// An accelerator family is a kind of accelerator that software treats alike.
enum class AcceleratorFamily : std::uint8_t { tpu, gpu, cpu };

inline Words<AcceleratorFamily> words(AcceleratorFamily) { return {"family", {"tpu", "gpu", "cpu"}}; }

/// A LibraryNetwork is what a communication library reaches of a machine's network: the same wire carries half or all
/// of its rate, as the library has it. Published all-reduces between nodes of a machine show this of a library.
struct LibraryNetwork {
  Sourced<double> share;     // part of the NICs' line rate that the bytes of large messages reach, above 0 to 1
  Sourced<Seconds> message;  // what software adds to each message between nodes
  std::optional<Sourced<Seconds>> call;    // and to each collective, however many messages it has
  std::optional<Sourced<Seconds>> sum_16;  // to add up one 16-bit element, where the library does it on the host
};

/// The key is the library's name of library_names(); the map is empty where nothing is known of the machine.
using NetworkSpec = std::map<std::string, LibraryNetwork>;

/// A `HostSpec` is the host of a machine's accelerators: what its input pipeline and its checkpoints have to work with.
struct HostSpec {
  int accelerators = 0;                            // accelerators that share one host; 0 = all of a node
  Sourced<double> threads;                         // hardware threads, as clouds count vCPUs
  std::optional<Sourced<Bytes>> memory;            // what may keep a dataset between epochs
  std::optional<Sourced<BytesPerSecond>> storage;  // read rate of what holds the dataset, for one host
};

enum class VertexKind : std::uint8_t { accelerator, host, link_switch, pcie_switch, nic, network_switch };

struct Vertex {
  VertexKind kind = VertexKind::accelerator;
  std::int32_t node = 0;   // the host or tray it belongs to; -1 for the fabric
  std::int32_t index = 0;  // among the vertices of its kind; for an accelerator this is its rank
};

enum class LinkKind : std::uint8_t { ici, nvlink, pcie, nic, network };

/// A `Link` is one direction of one physical link.
struct Link {
  BytesPerSecond bandwidth;  // line rate of the data sheet; what software reaches of it is sim's business
  Seconds latency;
  LinkKind kind = LinkKind::nvlink;
};

using ClusterGraph = boost::compressed_sparse_row_graph<boost::directedS, Vertex, Link>;
using LinkIndex = std::uint32_t;  // index of an edge in the graph, 0 .. links-1

/// An `AcceleratorSpec` says what one accelerator is, from catalogue/accelerators/*.yaml. Absent figures are 0.
struct AcceleratorSpec {
  std::string name;                                  // "tpu-v3"
  std::string title;                                 // "TPU v3 (chip, 2 cores)"
  std::map<Precision, Sourced<FlopPerSecond>> peak;  // matrix-unit peak for the format, dense
  Sourced<int> cores;            // that run programs of their own, each with the model for its samples; 0: none do
  Sourced<int> multiprocessors;  // SMs of a GPU, compute units of AMD's; each runs blocks of a kernel on its own
  Sourced<PerSecond> clock;      // clock that `peak` refers to: boost clock of a GPU
  Sourced<Bytes> memory;
  Sourced<BytesPerSecond> memory_bandwidth;
  Sourced<double> watts;  // of the board, or of the chip with its memory, at most in use (TDP); 0: nothing public
  Sourced<Seconds> kernel_launch;  // smallest time between two dependent kernels
  AcceleratorFamily family = AcceleratorFamily::tpu;
  std::string library;  // of collectives in its maker's software, of library_names(); empty: its family's usual one
  std::string chip;     // chips of one kind run kernels alike, whatever memory and board: "v100"
  Sourced<double> narrow_products, fp32_products;  // share of the peak that matrix products reach; 0: nothing public
  std::map<Precision, Sourced<double>> recipe_products;     // likewise of fp8 and its kin
  std::map<Precision, Sourced<double>> sustained_products;  // what is left of that in steps, which heat the chip
  std::map<Precision, Sourced<double>> tuned_products;      // and of that in steps of a tuned software's releases
  int grid_links = 0;  // links of its own to neighbours in a torus (ICI): 4 in two dimensions, 6 in three
  Sourced<BytesPerSecond> grid_link_bandwidth;  // rate of one such link, one direction
  Sourced<Seconds> grid_link_latency;
  Sourced<BytesPerSecond> slice_link_bandwidth;  // its part of the network that joins slices; 0: none is known
  Sourced<Seconds> slice_link_latency;
  Sourced<BytesPerSecond> through_host;  // between two over PCIe where the driver denies peers access: by host memory
  Sourced<BytesPerSecond> host_link;     // its own link to its host's memory, one direction; 0: the machine's PCIe
  std::optional<HostSpec> host;          // host of chips that are rented with their hosts
};

/// Says whether anything is known of the network between slices of these chips.
inline bool joins_slices(const AcceleratorSpec& accelerator) {
  return accelerator.slice_link_bandwidth.value.value > 0;
}

/// An `Interconnect` says how accelerators hang together, for callers that choose an algorithm.
enum class Interconnect { torus, nvlink_mesh, nvswitch, pcie };

/// A `BillLine` is one line of the bill of a cluster, per second of the whole allocation.
struct BillLine {
  std::string resource;  // "tpu-v3", "gcp-v100"
  double count = 0;      // how many of what the price is quoted for
  std::string region;    // region of the price unless another is requested; empty: the home region
  std::optional<UsdPerSecond> on_demand, preemptible;  // price of one, only where the machine's own file states it
  Source source;                                       // only where the machine's file says more than the price list
};

struct Cluster {
  std::string name;     // canonical, reparses to an equal cluster: "torus16x16:accelerator=tpu-v2"
  std::string machine;  // catalogue entry it came from: "dgx1-v100", "tpu-v3-pod", "" for a bare grid
  ClusterGraph graph;
  std::vector<std::uint32_t> rank_vertex;  // rank -> vertex
  AcceleratorSpec accelerator;
  Interconnect interconnect = Interconnect::nvswitch;
  std::optional<Grid> grid;       // only for Interconnect::torus
  int slices = 1;                 // boxes of it that a network joins, along its last dimension
  int accelerators_per_node = 1;  // on a grid those of a slice
  int nodes = 1;
  std::optional<HostSpec> host;  // host of a node, or of a few chips of a grid; empty where nothing is known of it
  int hosts = 1;                 // virtual machines or servers: as many as nodes, on a grid as chips need
  BytesPerSecond injection;      // what one accelerator can send inside its node or slice, all links, one direction
  Sourced<BytesPerSecond> through_host;  // between two accelerators over PCIe without peer access; 0: peers have access
  BytesPerSecond node_network;     // what one node can send to the network, all NICs, one direction; 0 on one node
  NetworkSpec network;             // what communication libraries reach of it; empty where nothing is published
  std::vector<double> rank_speed;  // compute speed factor of each rank, 1 = nominal; empty = all 1
  std::vector<BillLine> bill;      // empty where no price is known
  std::vector<std::string> notes;  // what was assumed in building it, one sentence each

  int ranks() const { return static_cast<int>(rank_vertex.size()); }
  double speed(int rank) const { return rank_speed.empty() ? 1.0 : rank_speed[rank]; }
  // The bundle of an edge depends on its index alone, so any source will do.
  const Link& link(LinkIndex index) const { return graph[ClusterGraph::edge_descriptor(0, index)]; }
  std::size_t links() const { return boost::num_edges(graph); }
};

}  // namespace mlsim::topologies
