#include "costs/nccl_protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/errors.hpp"

namespace mlsim::costs {

bool NcclFilter::lets_through(const NcclVariant& variant) const {
  if (protocol && *protocol != variant.protocol) return false;
  return algorithms.empty() || std::find(algorithms.begin(), algorithms.end(), variant.algorithm) != algorithms.end();
}

std::string_view name(NcclAlgorithm algorithm) {
  static constexpr std::array<std::string_view, 4> kNames{"Ring", "Tree", "NVLS", "NVLSTree"};
  return kNames[static_cast<std::size_t>(algorithm)];
}

std::string_view name(NcclProtocol protocol) {
  static constexpr std::array<std::string_view, 3> kNames{"LL", "LL128", "Simple"};
  return kNames[static_cast<std::size_t>(protocol)];
}

std::string text(const NcclVariant& variant) {
  if (variant.algorithm == NcclAlgorithm::nvls || variant.algorithm == NcclAlgorithm::nvls_tree)
    return std::string(name(variant.algorithm));
  return fmt::format("{} {}", name(variant.algorithm), name(variant.protocol));
}

const std::vector<std::string>& nccl_protocol_names() {
  static const std::vector<std::string> names{"ll", "ll128", "simple"};  // in the order of the enumeration
  return names;
}

NcclProtocol parse_nccl_protocol(std::string_view word) {
  const auto& names = nccl_protocol_names();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) throw InputError(unknown_word("protocol", word, names));
  return static_cast<NcclProtocol>(found - names.begin());
}

}  // namespace mlsim::costs
