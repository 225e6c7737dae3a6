// hwloc describes servers: the one that this runs on, or one that lstopo wrote down.
#pragma once

#include <string>

#include "topologies/import/host_machine.hpp"

namespace mlsim::topologies {

/// Describes the machine that this process runs on; its NICs have the speeds that their drivers tell. Throws
/// Unavailable where this build has no hwloc, or hwloc fails.
HostMachine this_machine();

/// Reads a file that `lstopo --of xml` wrote (hwloc 2). Such a file has no clock, no instruction sets and no speeds of
/// NICs. A child reads it first, as hwloc may crash on a broken one: the caller must be single-threaded. Throws
/// InputError with file and line, Unavailable where this build has no hwloc.
HostMachine hwloc_machine(const std::string& path);

}  // namespace mlsim::topologies
