#include "costs/nccl_protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mlsim::costs {
namespace {

constexpr std::array<std::string_view, 3> kInLogs{"LL", "LL128", "Simple"};  // in the order of NcclProtocol

}  // namespace

bool NcclFilter::lets_through(const NcclVariant& variant) const {
  if (protocol && *protocol != variant.protocol) return false;
  return algorithms.empty() || std::find(algorithms.begin(), algorithms.end(), variant.algorithm) != algorithms.end();
}

std::string text(const NcclVariant& variant) {
  if (variant.algorithm == NcclAlgorithm::nvls || variant.algorithm == NcclAlgorithm::nvls_tree)
    return std::string(name(variant.algorithm));
  return fmt::format("{} {}", name(variant.algorithm), kInLogs[static_cast<std::size_t>(variant.protocol)]);
}

}  // namespace mlsim::costs
