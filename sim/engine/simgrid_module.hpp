// A `SimgridModule` is SimGrid behind three functions, in a library of its own (sim/engine/simgrid/), because loading
// SimGrid and the 18 libraries that it brings takes 70 million instructions and 20 MiB, and few questions need it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "sim/engine/flow_network.hpp"
#include "sim/engine/message_run.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

struct SimgridModule {
  std::string (*version)();
  std::unique_ptr<FlowNetwork> (*make_flow_network)();
  MessageRun (*run_messages)(const Schedule&, const Cluster&, const LinkEfficiency&, const MessageRoutes&, Bytes,
                             const std::vector<Seconds>& arrival);
};

/// The one symbol of the library, a `SimgridModule`.
inline constexpr const char* kSimgridSymbol = "mlsim_simgrid";

/// Without SimGrid our own solver moves everything, and asking for SimGrid by name throws Unavailable.
bool has_simgrid();

/// Loads the library on first use, from where the program was built or installed. Throws Unavailable where the program
/// was built without it, or it is not there.
const SimgridModule& simgrid_module();

/// The version is "3.32", or why there is none.
std::string engine_version();

}  // namespace mlsim::sim
