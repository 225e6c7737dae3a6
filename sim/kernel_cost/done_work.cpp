#include "sim/kernel_cost/done_work.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "core/text/errors.hpp"
#include "costs/kernel_work.hpp"

namespace mlsim::sim {
namespace {

constexpr double kWinograd3 = 36.0 / 16, kWinograd5 = 100.0 / 36;
constexpr double kFastConvolutionGain = 1.5;  // fp32 Winograd/FFT gain over direct convolution, fitted with the form

double whole(double value, double step) { return std::ceil(value / step) * step; }

// Names the recipe of the accelerator that is next to one that it lacks: fewer bits before more, else 16 bits.
std::string nearest_text(const AcceleratorSpec& accelerator, Precision precision) {
  if (!is_recipe(precision)) return {};
  for (const Precision other : {Precision::mxfp8, Precision::fp8, Precision::int8, Precision::bf16, Precision::fp16})
    if (other != precision && accelerator.peak.contains(other)) return fmt::format("; --precision {}", name(other));
  return {};
}

}  // namespace

Bytes fused_bytes(const KernelWork& work) {
  const bool forward = work.key.op == KernelOp::batch_norm_forward;
  if (!forward && work.key.op != KernelOp::batch_norm_backward) return work.bytes;
  const auto& shape = shape_of<RowsShape>(work.key);
  const costs::TensorPasses passes = costs::tensor_passes(work.key.op);
  const double left = !forward ? 3 : shape.merged > 0 ? 2 : 0;
  const double spared = passes.read + passes.written - left;
  const Bytes tensor = element_size(work.key.precision) * (double(shape.rows) * double(shape.channels));
  return max(work.bytes - tensor * spared, Bytes(0));
}

Flop padded_flop(const KernelWork& work, Precision precision) {
  if (work.gemm.m == 0) return work.flop;
  const bool narrow = precision == Precision::fp16 || precision == Precision::bf16 || is_recipe(precision);
  const double flop = 2 * whole(work.gemm.m, kMatrixTile) * whole(work.gemm.n, kMatrixTile) *
                      whole(work.gemm.k, narrow ? 8 : 32) * work.products;
  const bool fast = work.fast_fp32_convolution && precision == Precision::fp32;
  return Flop(fast ? flop / kFastConvolutionGain : flop);
}

bool keeps_weights(const KernelWork& work, const AcceleratorSpec& accelerator) {
  constexpr std::int64_t kMostUnits = 1024;
  const auto* shape = std::get_if<LstmShape>(&work.key.shape);
  return shape != nullptr && !work.both_directions && accelerator.family == AcceleratorFamily::gpu &&
         element_size(work.key.precision) == Bytes(2) && shape->hidden <= kMostUnits;
}

Bytes persistent_bytes(const KernelWork& work) {
  const auto& shape = shape_of<LstmShape>(work.key);
  const Bytes weights = element_size(work.key.precision) * (4 * double(shape.hidden) * double(shape.hidden));
  return work.bytes - weights * double(shape.steps - 1);
}

Bytes summed_bytes(const KernelWork& work, const AcceleratorSpec& accelerator) {
  if (work.key.op != KernelOp::dense_weight_gradient || accelerator.family == AcceleratorFamily::tpu) return work.bytes;
  const auto& shape = shape_of<DenseShape>(work.key);
  if (shape.products == 1) return work.bytes;
  const double weights = double(shape.inputs) * double(shape.outputs) * double(shape.products);
  return work.bytes + (2 * Bytes(4) - element_size(work.key.precision)) * weights;
}

double spared_products(const KernelWork& work, Precision precision) {
  const auto* shape = std::get_if<ConvolutionShape>(&work.key.shape);
  if (shape == nullptr || !work.fast_fp32_convolution || precision != Precision::fp32) return 1;
  if (shape->kernel_h != shape->kernel_w) return 1;
  return shape->kernel_h == 3 ? kWinograd3 : shape->kernel_h == 5 ? kWinograd5 : 1;
}

FlopPerSecond matrix_peak(const AcceleratorSpec& accelerator, Precision precision) {
  const auto found = accelerator.peak.find(unit_format(precision));
  if (found != accelerator.peak.end() && found->second.value.value > 0) return found->second.value;
  std::string known;
  for (const auto& [format, peak] : accelerator.peak)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name(format));
  throw Infeasible(fmt::format("{} does not compute in {}; it has {}{}", accelerator.title, name(precision), known,
                               nearest_text(accelerator, precision)));
}

FlopPerSecond fastest_peak(const AcceleratorSpec& accelerator, Precision precision, FlopPerSecond peak) {
  const auto tf32 = accelerator.peak.find(Precision::tf32);
  return precision == Precision::fp32 && tf32 != accelerator.peak.end() ? max(peak, tf32->second.value) : peak;
}

}  // namespace mlsim::sim
