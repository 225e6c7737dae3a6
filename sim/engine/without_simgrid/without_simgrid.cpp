// This file stands in for sim/engine/simgrid/ where SimGrid is not installed.
#include "core/text/errors.hpp"
#include "sim/engine/engine_version.hpp"
#include "sim/engine/flow_network.hpp"
#include "sim/engine/message_run.hpp"

namespace mlsim::sim {
namespace {

[[noreturn]] void refuse() {
  throw Unavailable(
      "this mlsim was built without SimGrid; install libsimgrid-dev and build again, or --set engine=max-min");
}

}  // namespace

bool has_simgrid() { return false; }

std::string engine_version() { return "not built in (libsimgrid-dev); our own solver moves everything"; }

std::unique_ptr<FlowNetwork> make_simgrid_flow_network() { refuse(); }

MessageRun run_messages(const Schedule&, const Cluster&, const LinkEfficiency&, Bytes, const std::vector<Seconds>&) {
  refuse();
}

}  // namespace mlsim::sim
