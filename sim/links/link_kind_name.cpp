#include "sim/links/link_kind_name.hpp"

#include <array>

namespace mlsim::sim {

std::string_view link_kind_name(LinkKind kind) {
  static constexpr std::array<std::string_view, 5> kNames{"ICI", "NVLink", "PCIe", "NIC", "network"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace mlsim::sim
