// A `FlowNetwork` moves flows over shared links: it is the one interface to the discrete-event engine.
//
// A flow first waits for the latency of its path, then moves its bytes at the max-min fair rate of its links. Compute
// is a timer. Two implementations must agree to 1e-12: SimGrid, and our own max-min solver.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/units.hpp"
#include "sim/engine/fidelity.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

using FlowLink = std::uint32_t;
using FlowPath = std::uint32_t;

class FlowNetwork {
 public:
  virtual ~FlowNetwork() = default;
  /// A link is shared by the flows that cross it. bandwidth > 0.
  virtual FlowLink add_link(BytesPerSecond bandwidth) = 0;
  /// A path crosses distinct links; latency >= 0. Links must not repeat. A flow over an empty list only waits. On
  /// SimGrid all links and paths must be there before run().
  virtual FlowPath add_path(std::span<const FlowLink> links, Seconds latency) = 0;
  /// Starts a flow now; `done` is called when its last byte has arrived, or after its latency where it has no bytes.
  /// SimGrid takes bytes to the nearest 2^-20 and refuses 2^43 and more (Infeasible); our own solver does not round.
  virtual void send(FlowPath path, Bytes bytes, std::function<void()> done) = 0;
  /// Calls `f` at simulated time `when` (>= now).
  virtual void at(Seconds when, std::function<void()> f) = 0;
  virtual Seconds now() const = 0;
  /// Runs until nothing is left to happen.
  virtual void run() = 0;
  virtual std::uint64_t flows() const = 0;   // sent so far
  virtual std::uint64_t events() const = 0;  // flows ended and timers fired so far
};

/// Makes SimGrid behind the interface, of simgrid_module.hpp. At most one may live in a process: use it inside in_child()
/// (child.hpp).
std::unique_ptr<FlowNetwork> make_simgrid_flow_network();

/// Makes our own solver. Progressive filling is exact and needs no SimGrid. When flows start or end, it computes anew
/// the rates of the flows that share a link with them, directly or through others. It is slow with many flows that share
/// links.
std::unique_ptr<FlowNetwork> make_max_min_flow_network();

inline std::unique_ptr<FlowNetwork> make_flow_network(Engine engine) {
  return engine == Engine::simgrid ? make_simgrid_flow_network() : make_max_min_flow_network();
}

}  // namespace mlsim::sim
