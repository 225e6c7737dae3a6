// read_host() reads the "host" entry of machine and accelerator files.
#pragma once

#include "core/text/document.hpp"
#include "topologies/cluster/host_spec.hpp"

namespace mlsim::topologies {

/// The entry has {threads, memory, storage}, each with provenance, and where it is `shared` also "accelerators": how
/// many have one host, as the chips of a grid do. Throws InputError with file and line.
HostSpec read_host(const Document& host, bool shared);

}  // namespace mlsim::topologies
