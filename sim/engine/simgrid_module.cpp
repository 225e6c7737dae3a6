#include "sim/engine/simgrid_module.hpp"

#include <dlfcn.h>

#include <new>
#include <string_view>

#include "core/text/errors.hpp"

namespace mlsim::sim {
namespace {

constexpr const char* kOwnSolver = "; our own solver moves everything, as --set engine=max-min does";

// The dynamic loader says in words alone that it has no memory.
bool lacks_memory(const char* why) {
  const std::string_view said = why ? why : "";
  return said.find("failed to map segment") != said.npos || said.find("annot allocate") != said.npos ||
         said.find("cannot map zero-fill pages") != said.npos;
}

const SimgridModule& load() {
  if (!has_simgrid())
    throw Unavailable(std::string("this mlsim was built without SimGrid (libsimgrid-dev)") + kOwnSolver);
  // The name alone makes dlopen() look in the run path of the program.
  void* const library = ::dlopen(MLSIM_SIMGRID_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
  const void* const found = library ? ::dlsym(library, kSimgridSymbol) : nullptr;
  if (!found) {
    const char* const why = ::dlerror();
    if (library == nullptr && lacks_memory(why)) throw std::bad_alloc();
    throw Unavailable(std::string("SimGrid cannot be loaded: ") + (why ? why : MLSIM_SIMGRID_LIBRARY) + kOwnSolver);
  }
  return *static_cast<const SimgridModule*>(found);
}

}  // namespace

bool has_simgrid() { return *MLSIM_SIMGRID_LIBRARY != '\0'; }

const SimgridModule& simgrid_module() {
  static const SimgridModule& module = load();
  return module;
}

std::unique_ptr<FlowNetwork> make_simgrid_flow_network() { return simgrid_module().make_flow_network(); }

std::string engine_version() {
  try {
    return simgrid_module().version();
  } catch (const Unavailable& e) {
    return e.what();
  }
}

}  // namespace mlsim::sim
