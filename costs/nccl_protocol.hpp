// A NcclVariant names the algorithm and wire protocol that NCCL's tuner chooses.
#pragma once

#include <optional>
#include <string>
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

/// Only these variants may be chosen; an empty field lets anything through, as with NCCL_ALGO and NCCL_PROTO.
struct NcclFilter {
  std::vector<NcclAlgorithm> algorithms;
  std::optional<NcclProtocol> protocol;
  bool lets_through(const NcclVariant& variant) const;
};

/// The words are those of NCCL's own logs: "Ring", "NVLSTree".
inline Words<NcclAlgorithm> words(NcclAlgorithm) { return {"algorithm of NCCL", {"Ring", "Tree", "NVLS", "NVLSTree"}}; }
/// The words are those that --set takes: "ll", "ll128", "simple".
inline Words<NcclProtocol> words(NcclProtocol) { return {"protocol", {"ll", "ll128", "simple"}}; }
/// Writes a variant as NCCL's own logs do: "Tree LL128"; NVLS has one protocol, so that its algorithm stands alone.
std::string text(const NcclVariant& variant);

}  // namespace mlsim::costs
