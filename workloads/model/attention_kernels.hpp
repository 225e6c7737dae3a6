// AttentionKernels says with which kernels attention layers run.
#pragma once

#include "core/text/words.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// unfused is two products with the softmax between, whose scores go through device memory. flash is FlashAttention,
/// one kernel forward and one backward that keep scores on chip (Dao et al., arXiv:2205.14135).
enum class AttentionKernels { unfused, flash };
const Words<AttentionKernels>& words(AttentionKernels);

/// Says whether a layer is of the kind `attention`; additive_attention has no fused kernels.
bool has_attention(const Model& model);
void set_attention(Model& model, AttentionKernels kernels);

}  // namespace mlsim::workloads
