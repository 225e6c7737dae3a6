#include "sim/kernel_cost/operator_efficiency.hpp"

namespace mlsim::sim {
namespace {

bool is_narrow(Precision precision) { return precision == Precision::fp16 || precision == Precision::bf16; }

// Chips whose file has no share take that of calibrate/published/operator_efficiency.csv, rows "matrix_product".
constexpr double kPooledNarrow = 0.69, kPooledFp32 = 0.63;  // of 7 families (sigma of ln 0.16) and of 10 (0.40)
constexpr double kProductMemory = 0.85;                     // fitted together with them, on all chips

// These come from the same file, rows "fused_attention_forward" and "_backward": medians over chips. More FLOP of a
// short sequence lie in blocks that the mask cuts and in a kernel's ends; the backward share, known at sequences of
// 4096 alone, is put in that form.
constexpr double kAttentionForward = 0.59;  // of A100, H100, H200, L40S, B200, GB200, sigma of ln 0.08
constexpr double kShortQueries = 600;       // FLOP times 1 + 600 / queries
constexpr double kAttentionBackward = 0.44 * (1 + kShortQueries / 4096);  // of A100 (0.48) and B200 (0.39)

// Matrix units give 16-bit formats more than twice the rate of fp32, or formats that vector units do not have.
bool has_matrix_units(const AcceleratorSpec& accelerator) {
  if (accelerator.peak.contains(Precision::bf16) || accelerator.peak.contains(Precision::tf32)) return true;
  const auto narrow = accelerator.peak.find(Precision::fp16), fp32 = accelerator.peak.find(Precision::fp32);
  return narrow != accelerator.peak.end() && fp32 != accelerator.peak.end() &&
         narrow->second.value > 2 * fp32->second.value;
}

}  // namespace

bool is_matrix_product(KernelOp op) {
  switch (op) {
    case KernelOp::dense_forward:
    case KernelOp::dense_input_gradient:
    case KernelOp::dense_weight_gradient:
    case KernelOp::matmul:
    case KernelOp::lstm_forward:
    case KernelOp::lstm_backward: return true;
    default: return false;
  }
}

std::optional<double> fused_attention_share(const KernelKey& key) {
  const bool forward = key.op == KernelOp::flash_attention_forward;
  if (!forward && key.op != KernelOp::flash_attention_backward) return std::nullopt;
  const double queries = double(shape_of<AttentionShape>(key).queries);
  return (forward ? kAttentionForward : kAttentionBackward) / (1 + kShortQueries / queries);
}

std::optional<ProductEfficiency> product_efficiency(const AcceleratorSpec& accelerator, Precision precision) {
  if (accelerator.family == AcceleratorFamily::cpu) return std::nullopt;
  const bool fp32 = precision == Precision::fp32;
  const double known = (fp32 ? accelerator.fp32_products : accelerator.narrow_products).value;
  const double pooled = fp32 ? kPooledFp32 : kPooledNarrow;
  return ProductEfficiency{known > 0 ? known : pooled, kProductMemory};
}

std::optional<EfficiencyCurve> pooled_curve(const AcceleratorSpec& accelerator, Precision precision) {
  EfficiencyCurve curve;
  curve.precision = precision;
  if (accelerator.family == AcceleratorFamily::cpu) return std::nullopt;
  if (accelerator.family == AcceleratorFamily::tpu) {
    curve.compute = 0.74;
    curve.per_kernel = accelerator.kernel_launch.value;
    curve.source = {Provenance::assumed, "the compute share of TPU v2 to v4, memory at its data sheet's rate", ""};
    return curve;
  }
  const bool vector = is_narrow(precision) && !has_matrix_units(accelerator);
  const bool fp32 = precision == Precision::fp32 || vector;
  const bool tf32 = precision == Precision::tf32;
  // The share of fp32 is of direct convolutions, of which fast ones spare a third (done_work.cpp).
  curve.compute = vector ? 1.37 / 1.5 : fp32 ? 1.37 : tf32 ? 0.36 : 0.23;
  curve.memory = fp32 ? 0.61 : 0.99;
  curve.per_kernel = fp32 ? microseconds(17) : microseconds(8);
  curve.source = {Provenance::assumed,
                  "as of V100 and A100: median over ~100 single-GPU systems of "
                  "github.com/lambdal/lambda-tensorflow-benchmark; tf32 of github.com/NVIDIA/DeepLearningExamples",
                  "2020"};
  return curve;
}

bool same_rate(const AcceleratorSpec& accelerator, Precision a, Precision b) {
  if (a == b) return true;
  if (!is_narrow(a) || !is_narrow(b)) return false;
  const auto one = accelerator.peak.find(a), other = accelerator.peak.find(b);
  return one != accelerator.peak.end() && other != accelerator.peak.end() && one->second.value == other->second.value;
}

}  // namespace mlsim::sim
