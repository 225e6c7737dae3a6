// An efficiency is what of a data sheet's rates kernels reach where no whole step says it, and what matrix products
// reach by themselves.
#pragma once

#include <optional>

#include "core/kernel/kernel_key.hpp"
#include "core/profile/profile.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster.hpp"

namespace mlsim::sim {

/// A dense layer, a product of two activations or an LSTM: a plain matrix product, of which no step's curve of
/// convolutions tells.
bool is_matrix_product(KernelOp op);

/// Time of a matrix product = ((padded FLOP / (compute * peak))^2 + (bytes / (memory * bandwidth))^2)^(1/2).
struct ProductEfficiency {
  double compute = 1, memory = 1;
};

/// The share of the peak that a fused attention kernel reaches, in place of `compute` above; empty for other kernels.
std::optional<double> fused_attention_share(const KernelKey& key);

/// Of products in `precision`; empty for a processor, whose products calibration times.
std::optional<ProductEfficiency> product_efficiency(const AcceleratorSpec& accelerator, Precision precision);

/// The curve of whole steps where none is known of the accelerator itself: what its kind has in common. Empty for a
/// processor.
std::optional<EfficiencyCurve> pooled_curve(const AcceleratorSpec& accelerator, Precision precision);

/// Whether the accelerator's units work at one rate in both, so that what is known of one holds for the other: fp16 and
/// bf16 of one peak.
bool same_rate(const AcceleratorSpec& accelerator, Precision a, Precision b);

}  // namespace mlsim::sim
