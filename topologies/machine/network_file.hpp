// read_network() reads a node's `network` entry, in machine files of the catalogue and of people.
#pragma once

#include <string>
#include <vector>

#include "core/text/document.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::topologies {

/// The libraries are "nccl", "mpi", "gloo" and AMD's "rccl".
const std::vector<std::string>& library_names();

/// Reads one of these names. Throws InputError with file, line and the nearest.
std::string read_library_name(const Document& document);

/// The entry is a map from libraries to {share, message, call, sum_16}, the last two optional. Throws InputError with
/// file, line and the nearest name of a library or key.
NetworkSpec read_network(const Document& network);

}  // namespace mlsim::topologies
