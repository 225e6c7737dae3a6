// SimGrid stands behind FlowNetwork, driven from its maestro: there are no actors, flows are sendto communications.
//
// Every link has zero latency and a flow's latency is a timer before it starts, because CM02 shares a link in
// proportion to 1 / latency (simgrid src/kernel/resource/models/network_cm02.cpp, sharing_penalty_).
#include <simgrid/kernel/Timer.hpp>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "sim/engine/simgrid/engines.hpp"
#include "sim/engine/simgrid/simgrid_platform.hpp"

namespace mlsim::sim {
namespace {

namespace sg = simgrid::s4u;

class SimgridFlowNetwork final : public FlowNetwork {
 public:
  SimgridFlowNetwork() : sink_(platform_.add_host()) {
    SimgridPlatform::on_comm_done([this](const sg::Comm& comm) { end_flow(comm); });
  }

  FlowLink add_link(BytesPerSecond bandwidth) override {
    refuse_while_running();
    if (!(bandwidth.value > 0)) throw std::invalid_argument("a link needs a bandwidth above 0");
    links_.push_back(platform_.add_link(bandwidth));
    return static_cast<FlowLink>(links_.size() - 1);
  }

  FlowPath add_path(std::span<const FlowLink> links, Seconds latency) override {
    refuse_while_running();
    std::vector<FlowLink> key(links.begin(), links.end());
    auto [place, fresh] = sources_.try_emplace(key, nullptr);
    if (fresh && !key.empty()) {
      std::vector<sg::Link*> route;
      for (const FlowLink link : key) route.push_back(links_.at(link));
      place->second = platform_.add_host(route);
    }
    paths_.push_back({place->second, latency});
    return static_cast<FlowPath>(paths_.size() - 1);
  }

  void send(FlowPath path, Bytes bytes, std::function<void()> done) override {
    const Path& taken = paths_.at(path);
    ++flows_;
    const std::uint64_t payload = taken.source ? SimgridPlatform::payload(bytes) : 0;
    if (payload == 0)
      at(now() + taken.latency, std::move(done));
    else if (taken.latency.value > 0)
      set_timer(now() + taken.latency, [this, path, payload, f = std::move(done)] { start_flow(path, payload, f); });
    else
      start_flow(path, payload, std::move(done));
  }

  void at(Seconds when, std::function<void()> f) override {
    set_timer(when, [this, f = std::move(f)] {
      ++events_;
      f();
    });
  }

  Seconds now() const override { return SimgridPlatform::now(); }

  void run() override {
    running_ = true;
    platform_.run();
  }

  std::uint64_t flows() const override { return flows_; }
  std::uint64_t events() const override { return events_; }

 private:
  struct Path {
    sg::Host* source;  // null: no links, only waits
    Seconds latency;
  };
  struct LiveFlow {
    sg::CommPtr comm;  // SimGrid drops a communication that nobody holds
    std::function<void()> done;
  };

  void refuse_while_running() const {
    if (running_) throw std::logic_error("links and paths must be added before run()");
  }

  // One kernel timer serves all that happens at one time, in the order in which it was asked for.
  void set_timer(Seconds when, std::function<void()> f) {
    const double date = std::max(when.value, now().value);
    auto [place, fresh] = timers_.try_emplace(date);
    place->second.push_back(std::move(f));
    if (fresh) simgrid::kernel::timer::Timer::set(date, [this, date] { fire(date); });
  }

  void fire(double date) {
    auto due = timers_.extract(date);
    for (auto& f : due.mapped()) f();
  }

  void start_flow(FlowPath path, std::uint64_t payload, std::function<void()> done) {
    sg::CommPtr comm = sg::Comm::sendto_init();
    comm->set_payload_size(payload);
    comm->set_source(paths_[path].source);
    live_.emplace(comm.get(), LiveFlow{comm, std::move(done)});
    comm->set_destination(sink_);  // this starts it
  }

  void end_flow(const sg::Comm& comm) {
    auto flow = live_.extract(&comm);
    if (flow.empty()) return;
    ++events_;
    finished_ = std::move(flow.mapped().comm);
    flow.mapped().done();
  }

  SimgridPlatform platform_;
  sg::Host* sink_;
  bool running_ = false;
  std::vector<sg::Link*> links_;
  std::vector<Path> paths_;
  std::map<std::vector<FlowLink>, sg::Host*> sources_;
  std::map<double, std::vector<std::function<void()>>> timers_;
  std::unordered_map<const sg::Comm*, LiveFlow> live_;
  sg::CommPtr finished_;  // SimGrid reads the last one to end after this callback
  std::uint64_t flows_ = 0, events_ = 0;
};

}  // namespace

std::unique_ptr<FlowNetwork> new_simgrid_network() { return std::make_unique<SimgridFlowNetwork>(); }

}  // namespace mlsim::sim
