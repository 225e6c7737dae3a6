// A `NetworkSpec` is what communication libraries reach of a machine's network: the same wire carries half or all of
// its rate, as the library has it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/profile/provenance.hpp"
#include "core/units.hpp"

namespace mlsim::topologies {

/// Published all-reduces between nodes of a machine show this of a library.
struct LibraryNetwork {
  Sourced<double> share;     // part of the NICs' line rate that the bytes of large messages reach, above 0 to 1
  Sourced<Seconds> message;  // what software adds to each message between nodes
  std::optional<Sourced<Seconds>> call;    // and to each collective, however many messages it has
  std::optional<Sourced<Seconds>> sum_16;  // to add up one 16-bit element, where the library does it on the host
};

/// The key is the library's name of library_names(); the map is empty where nothing is known of the machine.
using NetworkSpec = std::map<std::string, LibraryNetwork>;

}  // namespace mlsim::topologies
