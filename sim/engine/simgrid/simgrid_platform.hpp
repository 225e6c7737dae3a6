// A `SimgridPlatform` is SimGrid's engine, set to compute plain max-min sharing, with one star zone of links.
//
// Only files of sim/engine include this header. It hides what differs between SimGrid 3.30 and 4.1.
#pragma once

#include <simgrid/s4u.hpp>

#include <simgrid/version.h>  // needs what simgrid/s4u.hpp defines

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "core/units.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

class SimgridPlatform {
 public:
  /// Throws std::logic_error where this process already had an engine: SimGrid's clock lives in a static. `latency` is
  /// the latency of all latency links.
  explicit SimgridPlatform(Seconds latency = {});

  /// Adds a link in one direction, of zero latency, shared by its flows.
  simgrid::s4u::Link* add_link(BytesPerSecond bandwidth);
  /// Adds a link that never fills and gives every flow that crosses it the one latency of this platform. CM02 shares
  /// links by 1 / latency, so either all flows cross such a link, or none.
  simgrid::s4u::Link* add_latency_link();
  /// Adds a host whose flows to hosts without links cross exactly `links`. Star zones take a link at most once a route.
  simgrid::s4u::Host* add_host(std::span<simgrid::s4u::Link* const> links = {});
  /// From then on a flow between the two hosts crosses exactly `links`.
  void add_route(simgrid::s4u::Host* from, simgrid::s4u::Host* to, std::span<simgrid::s4u::Link* const> links);
  /// Throws std::bad_alloc where there is no memory for so many actors.
  static void reserve_stacks(std::size_t actors);
  static void add_actor(const std::string& name, simgrid::s4u::Host* host, std::function<void()> code);
  /// `f` is called for every communication that ends without an actor waiting for it.
  static void on_comm_done(std::function<void(const simgrid::s4u::Comm&)> f);
  /// Throws std::runtime_error in place of SimGrid's own errors.
  void run();
  static Seconds now() { return Seconds(simgrid::s4u::Engine::get_clock()); }

  /// SimGrid counts whole bytes: `bytes` in its unit, 2^-20 byte, so that a flow is at most 2^-21 byte off. Throws
  /// Infeasible from 2^43 bytes (8.8 TB) on, where the unit would overflow.
  static std::uint64_t payload(Bytes bytes);

 private:
  simgrid::s4u::Link* create_link(double bandwidth);

  Seconds latency_;
  simgrid::s4u::Engine engine_;
  simgrid::s4u::NetZone* zone_;
  std::uint64_t links_ = 0, hosts_ = 0;
};

}  // namespace mlsim::sim
