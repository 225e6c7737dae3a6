// NCCL's words: the algorithms and wire protocols between which its tuner chooses.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/words.hpp"
#include "core/units.hpp"

namespace mlsim::costs {

enum class NcclAlgorithm { ring, tree, nvls, nvls_tree };

/// LL sends 4 bytes of flags with every 4 of data, so that a hop needs no fence: at most half of the bandwidth, about
/// 1 us a hop. LL128 sends 8 of 128 and needs links that keep 128-byte stores whole (NVLink): about 2 us a hop. Simple
/// sends data alone and fences every chunk: all of the bandwidth, about 6 us a hop. NVIDIA/nccl src/device/prims_*.h;
/// Hu et al., arXiv:2507.04786.
enum class NcclProtocol { ll, ll128, simple };

struct NcclVariant {
  NcclAlgorithm algorithm = NcclAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::simple;
  bool operator==(const NcclVariant&) const = default;
};

struct NcclEstimate {
  NcclVariant variant;
  Seconds time;
};

/// The variants that may be chosen; what is empty may be anything. As NCCL_ALGO and NCCL_PROTO.
struct NcclFilter {
  std::vector<NcclAlgorithm> algorithms;
  std::optional<NcclProtocol> protocol;
  bool lets_through(const NcclVariant& variant) const;
};

/// As NCCL's own logs write them: "Ring", "NVLSTree".
const Words<NcclAlgorithm>& words(NcclAlgorithm);
/// "ll", "ll128", "simple", as --set takes them.
const Words<NcclProtocol>& words(NcclProtocol);
/// As NCCL's own logs write it: "Tree LL128"; NVLS has one protocol, so that its algorithm stands alone.
std::string text(const NcclVariant& variant);

}  // namespace mlsim::costs
