#include "sim/engine/simgrid/simgrid_platform.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <simgrid/Exception.hpp>

#include <cmath>
#include <csignal>
#include <iterator>
#include <new>
#include <stdexcept>

#include "core/text/errors.hpp"

namespace mlsim::sim {
namespace {

namespace sg = simgrid::s4u;

constexpr double kUnitsPerByte = 1048576;
constexpr double kNeverFull = 1e30;
constexpr double kLeastLatency = 1e-300;           // SimGrid's reader takes no denormal number
constexpr double kLargestPayload = 8796093022208;  // 2^43 bytes: 2^63 units

// An actor needs 5 kB for a round of messages, and as much again for an error on its way out. SimGrid's own 8 MiB for
// each rank and lane would fill the address space.
constexpr std::size_t kStack = std::size_t{64} << 10;

// Engine's constructor wants main()'s arguments by reference. Without "--log=root.thresh:critical" SimGrid announces
// each set_config on stderr; its own words about failures are silenced, because the errors here say it in a sentence.
char program_name[] = "mlsim";
char quiet[] = "--log=root.thresh:critical";
char silent[] = "--log=root.app:file:/dev/null";
char stacks[] = "--cfg=contexts/stack-size:64";  // KiB: kStack
#ifdef __SANITIZE_ADDRESS__
// The sanitizer takes an exception on a swapped stack for an error.
char real_stacks[] = "--cfg=contexts/factory:thread";
char* arguments[] = {program_name, quiet, silent, stacks, real_stacks, nullptr};
#else
char* arguments[] = {program_name, quiet, silent, stacks, nullptr};
#endif
int argument_count = static_cast<int>(std::size(arguments)) - 1;

int* arguments_of_first_engine() {
  static bool made = false;
  if (made) throw std::logic_error("a second SimGrid engine in one process; run it inside in_child()");
  made = true;
  return &argument_count;
}

void set_plain_max_min() {
  // CM02's own factors are 1; its defaults also load the way back by 5 %, cap a flow's rate by its latency, and merge
  // events that are less than 1 ns apart.
  sg::Engine::set_config("network/model:CM02");
  sg::Engine::set_config("network/crosstraffic:0");
  sg::Engine::set_config("network/TCP-gamma:1e30");
  // A link whose free share falls under `work-amount` (default 1e-5) counts as full.
#if SIMGRID_VERSION >= 33400
  sg::Engine::set_config("precision/timing:1e-12");
  sg::Engine::set_config("precision/work-amount:1e-12");
#else
  sg::Engine::set_config("surf/precision:1e-12");
  sg::Engine::set_config("maxmin/precision:1e-12");
#endif
}

sg::NetZone* make_star_zone([[maybe_unused]] sg::Engine& engine) {
#if SIMGRID_VERSION >= 40000
  return engine.get_netzone_root()->add_netzone_star("links");
#else
  return sg::create_star_zone("links");
#endif
}

std::vector<sg::LinkInRoute> as_route(std::span<sg::Link* const> links) {
  std::vector<sg::LinkInRoute> route;
  route.reserve(links.size());
  for (const sg::Link* link : links) route.emplace_back(link);
  return route;
}

// Adds the half of a star zone's routes that leaves `from` (`to` null) or enters `to` (`from` null).
void add_half_route(sg::NetZone* zone, const sg::Host* from, const sg::Host* to,
                    const std::vector<sg::LinkInRoute>& links) {
#if SIMGRID_VERSION >= 33600
  zone->add_route(from ? from->get_netpoint() : nullptr, to ? to->get_netpoint() : nullptr, links, false);
#else
  zone->add_route(from ? from->get_netpoint() : nullptr, to ? to->get_netpoint() : nullptr, nullptr, nullptr, links,
                  false);
#endif
}

}  // namespace

SimgridPlatform::SimgridPlatform(Seconds latency)
    : latency_(latency.value < kLeastLatency ? Seconds(0) : latency), engine_(arguments_of_first_engine(), arguments) {
  std::signal(SIGINT, SIG_IGN);  // SimGrid would print its state on Ctrl-C; this process ends with its parent
  set_plain_max_min();
  // A flow's weight is its latency before this factor: latency links of 1 s make all weights 1, with exact sums.
  if (latency_.value > 0) sg::Engine::set_config(fmt::format("network/latency-factor:{:.17g}", latency_.value));
  zone_ = make_star_zone(engine_);
}

sg::Link* SimgridPlatform::create_link(double bandwidth) {
  const std::string name = "l" + std::to_string(links_++);
#if SIMGRID_VERSION >= 40000
  return zone_->add_link(name, bandwidth);
#else
  return zone_->create_link(name, bandwidth);
#endif
}

sg::Link* SimgridPlatform::add_link(BytesPerSecond bandwidth) {
  return create_link(bandwidth.value * kUnitsPerByte)->set_latency(0.0)->seal();
}

sg::Link* SimgridPlatform::add_latency_link() {
  return create_link(kNeverFull)
      ->set_latency(latency_.value > 0 ? 1.0 : 0.0)
      ->set_sharing_policy(sg::Link::SharingPolicy::FATPIPE)
      ->seal();
}

sg::Host* SimgridPlatform::add_host(std::span<sg::Link* const> links) {
  const std::string name = "h" + std::to_string(hosts_++);
#if SIMGRID_VERSION >= 40000
  sg::Host* host = zone_->add_host(name, 1.0)->seal();
#else
  sg::Host* host = zone_->create_host(name, 1.0)->seal();
#endif
  add_half_route(zone_, host, nullptr, as_route(links));
  add_half_route(zone_, nullptr, host, {});
  return host;
}

void SimgridPlatform::add_route(sg::Host* from, sg::Host* to, std::span<sg::Link* const> links) {
  zone_->add_bypass_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, as_route(links));
}

// SimGrid aborts where it cannot have the memory of a stack.
void SimgridPlatform::reserve_stacks(std::size_t actors) {
  const std::size_t bytes = actors * (kStack + static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  void* const area = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) throw std::bad_alloc();
  ::munmap(area, bytes);
}

void SimgridPlatform::run() {
  const auto failed = [] {
    return std::runtime_error("SimGrid failed in this simulation; --set engine=max-min simulates it without SimGrid");
  };
  try {
    engine_.run();
  } catch (const simgrid::Exception&) {
    throw failed();
  } catch (const simgrid::xbt::ImpossibleError&) {
    throw failed();
  }
}

void SimgridPlatform::add_actor(const std::string& name, sg::Host* host, std::function<void()> code) {
#if SIMGRID_VERSION >= 40100
  host->add_actor(name, std::move(code));
#elif SIMGRID_VERSION >= 40000
  sg::Engine::get_instance()->add_actor(name, host, std::move(code));
#else
  sg::Actor::create(name, host, std::move(code));
#endif
}

void SimgridPlatform::on_comm_done(std::function<void(const sg::Comm&)> f) {
#if SIMGRID_VERSION >= 33400
  sg::Comm::on_completion_cb([f](const sg::Comm& comm) { f(comm); });
#else
  sg::Activity::on_completion_cb([f](const sg::Activity& activity) {
    if (const auto* comm = dynamic_cast<const sg::Comm*>(&activity)) f(*comm);
  });
#endif
}

std::uint64_t SimgridPlatform::payload(Bytes bytes) {
  if (bytes.value >= kLargestPayload) throw Infeasible("a message of 8.8 TB or more cannot be simulated");
  return static_cast<std::uint64_t>(std::llround(bytes.value * kUnitsPerByte));
}

}  // namespace mlsim::sim
