// RecomputeModules are parts of a block whose results the backward pass makes again instead of finding them kept.
#pragma once

#include <cstdint>
#include <vector>

#include "core/text/words.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// The modules are those of NVIDIA/Megatron-LM, --recompute-modules (megatron/core/transformer/transformer_config.py):
/// core_attention       what attention makes between its operands and its result, where kernels are not fused
/// mlp                  the dense feed-forward part, which keeps its input only
/// moe_activation       the activation between the two products of experts, whose input is kept
/// layer_normalization  normalisations of the residual stream, whose inputs are kept
/// latent_up_projection of latent attention: from the pressed queries, keys and values to those of all heads
/// mixture              router, experts and those that all tokens go through, with what ranks exchange for them
enum class RecomputeModule : std::uint8_t {
  core_attention,
  mlp,
  moe_activation,
  layer_normalization,
  latent_up_projection,
  mixture
};
inline Words<RecomputeModule> words(RecomputeModule) {
  return {"module to recompute", {"core_attn", "mlp", "moe_act", "layernorm", "mla_up_proj", "moe"}};
}

class RecomputeModules {
 public:
  RecomputeModules() = default;
  explicit RecomputeModules(RecomputeModule module) { add(module); }
  void add(RecomputeModule module) { bits_ |= bit(module); }
  bool has(RecomputeModule module) const { return (bits_ & bit(module)) != 0; }
  bool operator==(const RecomputeModules&) const = default;
  bool operator<(const RecomputeModules& other) const { return bits_ < other.bits_; }

 private:
  static std::uint8_t bit(RecomputeModule module) { return std::uint8_t(1U << static_cast<unsigned>(module)); }
  std::uint8_t bits_ = 0;
};

/// A `LayerAgain` says whether a layer's forward kernels run again, whether its output is dropped until then, or
/// only what its kernels keep besides, and whether ranks exchange again what they exchanged for it.
struct LayerAgain {
  bool runs = false, drops_output = false, exchanges = false;
};

/// Returns what becomes of each layer; with `blocks` above 0 that of the first so many repeated blocks alone.
std::vector<LayerAgain> layers_again(const Model& model, RecomputeModules modules, int blocks = 0);

}  // namespace mlsim::workloads
