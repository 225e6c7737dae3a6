// A `LinkEfficiency` says what software reaches of a link's line rate, and what a message costs besides its bytes.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/profile/provenance.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// Each LinkKind has the share of the data sheet's rate that a collective's bytes reach, and the software latency added
/// to each message that crosses a link of the kind (once a message, the largest of its links' values).
struct LinkEfficiency {
  struct Entry {
    double share = 1;
    Seconds message;
    Source source;
  };
  std::array<Entry, 5> by_kind{};
  Seconds call;              // added to each collective as a whole, however many messages it has
  std::string communicator;  // whose figures those of the NIC are: "nccl"; empty: of no library in particular
  const Entry& operator[](LinkKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
  Entry& operator[](LinkKind kind) { return by_kind[static_cast<std::size_t>(kind)]; }
};

/// Ideal links have share 1 and no software latency: the bare links, for checks against formulas.
LinkEfficiency ideal_links();

/// Returns the fitted values, with their sources (link_efficiency.cpp).
LinkEfficiency fitted_links();

/// The name is "ICI", "NVLink", "PCIe", "NIC" or "network".
std::string_view link_kind_name(LinkKind kind);

}  // namespace mlsim::sim
