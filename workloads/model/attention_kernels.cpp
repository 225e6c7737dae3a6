#include "workloads/model/attention_kernels.hpp"

#include <algorithm>

namespace mlsim::workloads {

const Words<AttentionKernels>& words(AttentionKernels) {
  static const Words<AttentionKernels> table{"attention", {"unfused", "flash"}};
  return table;
}

bool has_attention(const Model& model) {
  return std::any_of(model.layers.begin(), model.layers.end(),
                     [](const Layer& layer) { return layer.kind == LayerKind::attention; });
}

void set_attention(Model& model, AttentionKernels kernels) {
  for (Layer& layer : model.layers) {
    if (layer.kind == LayerKind::attention) layer.flash = kernels == AttentionKernels::flash;
  }
}

}  // namespace mlsim::workloads
