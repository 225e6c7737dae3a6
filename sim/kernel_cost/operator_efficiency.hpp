// An efficiency is what of a data sheet's rates kernels reach where no whole step says it, and what matrix products
// reach by themselves.
#pragma once

#include <optional>

#include "core/kernel/kernel_key.hpp"
#include "core/profile/profile.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// A dense layer, a product of two activations and an LSTM are plain matrix products, of which no step's curve of
/// convolutions tells.
bool is_matrix_product(KernelOp op);

/// The time of a matrix product is ((padded FLOP / (compute * peak))^2 + (bytes / (memory * bandwidth))^2)^(1/2).
struct ProductEfficiency {
  double compute = 1, memory = 1;
};

/// Gives the share of the peak that a fused attention kernel reaches, in place of `compute` above; empty for other
/// kernels.
std::optional<double> fused_attention_share(const KernelKey& key);

/// The first FlashAttention, or Triton's of that time, reaches this of the share above: 25 to 40 % of an A100's peak,
/// its successor 1.3 to 2.5 times as much as Triton's (Dao, arXiv:2307.08691, sections 1 and 4.1). Within these the
/// figure was chosen on sequences of 8,192 and more of github.com/mosaicml/llm-foundry, which test nothing of it.
constexpr double kFirstFlash = 0.6;

/// Gives the efficiency of products in `precision`; empty for a processor, whose products calibration times.
std::optional<ProductEfficiency> product_efficiency(const AcceleratorSpec& accelerator, Precision precision);

/// Gives what is left of a product's share in a step, which heats the chip until its clock falls; 1 where nothing
/// public tells (AcceleratorSpec::sustained_products).
double sustained_share(const AcceleratorSpec& accelerator, Precision precision);

/// Gives what of that is left in a step of tuned software (AcceleratorSpec::tuned_products), or 1.
double tuned_share(const AcceleratorSpec& accelerator, Precision precision);

/// Gives what products of several experts reach of what one product does, for the rows that each has.
double grouped_share(const KernelWork& work, const AcceleratorSpec& accelerator);

/// Gives what a product reaches in its direction of what it reaches forward.
double direction_share(KernelOp op);

/// A recipe casts the operand of a product, forward the layer's input, backward the gradient of its output: it is read
/// in bf16 and written as rows and as columns, and read once more where one scale of the whole tensor is needed first.
struct CastBytes {
  Bytes cast, scale;
};
CastBytes cast_bytes(const KernelWork& work);

/// Gives what both passes take where the memory has `bandwidth`.
Seconds cast_time(const KernelWork& work, const AcceleratorSpec& accelerator, BytesPerSecond bandwidth);

/// Gives the curve of whole steps where none is known of the accelerator itself: what its kind has in common. It is
/// empty for a processor.
std::optional<EfficiencyCurve> pooled_curve(const AcceleratorSpec& accelerator, Precision precision);

/// Gives the curve of kernels by themselves: what passes over memory reach of its bandwidth, and the time between two
/// kernels that a full queue feeds. Products and fused attention have shares of their own. It is empty for a processor,
/// whose kernels calibration times, and for a TPU, whose curve is that of whole programs.
std::optional<EfficiencyCurve> operator_curve(const AcceleratorSpec& accelerator, Precision precision);

/// Says whether the accelerator's units work at one rate in both, so that what is known of one holds for the other:
/// fp16 and bf16 of one peak.
bool same_rate(const AcceleratorSpec& accelerator, Precision a, Precision b);

}  // namespace mlsim::sim
