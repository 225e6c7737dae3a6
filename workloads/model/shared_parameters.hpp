// Layers that share parameters use those of an earlier layer and own none, or only a bias.
#pragma once

#include "core/text/document.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// Lets `layer` use the parameters of layer `owner` of `model`: one of the same kind and sizes, or the embedding whose
/// table (rows x width) is the weight of a dense layer (outputs x inputs; Press and Wolf, arXiv:1608.05859), which then
/// owns its bias only. Throws at `place` where they do not fit.
void share_parameters(Layer& layer, const Model& model, int owner, const Document& place);

}  // namespace mlsim::workloads
