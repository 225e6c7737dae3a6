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

// Exponentials of the scores take units of their own, the more of the time the fewer channels a head has: heads of 64
// reach 0.76 forward and 0.83 backward of what heads of 128 do (cuDNN 9.19 on an H100 at 4,096 queries,
// examples/calibrated-gpu/pytorch_operators.csv).
constexpr double kUsualHead = 128, kExponentials = 0.26;

// Rows "matrix_product" of SimuMax, 514 shapes on B200 and 183 on A100: weight gradients, which add up in fp32, reach
// 0.97 and 0.95 of what the forward pass does; input gradients all of it.
constexpr double kWeightGradient = 0.96;

// Products of experts, one behind the other in a kernel, reach less on Blackwell the fewer rows each has: rows
// "grouped_product" of SimuMax, 108 shapes of 128 to 9,832 rows on B200 in all three directions, are 0.49 / (1 + 180 / rows)
// of the peak where single products reach 0.57, off by 9 % in the median, as are those that were held back. On an H100
// they reach what single ones do (examples/calibrated-gpu/pytorch_operators.csv, 1,024 to 4,096 rows).
constexpr double kGroupedOfBlackwell = 0.86, kGroupedRows = 180;

// A scale of a whole tensor needs its largest value first. Transformer Engine keeps those of earlier steps (delayed
// scaling), so that the pass is left out: assumed half and half with current scaling.
constexpr double kScalePasses = 0.5;

// Rows "cast" and "cast_scale": a pass of 3 bytes a value reaches 0.92 and 0.90 of the bandwidth of H100 and H200, and
// 0.62 to 0.66 of that of B200, B300, GB200 and GB300, the chips with nvfp4; one for the largest value 0.39 of all.
constexpr double kCastPass = 0.91, kCastPassOfBlackwell = 0.64, kScalePass = 0.39;

// Recipes without rows of the chip take those of its fp8, or all chips' ratio of fp8 to 16 bits, both of the same shapes:
// 0.91 of H100 and H200, 0.85 to 0.99 of L40S, B200, GB200, B300 and GB300 (calibrate/published/README.md).
constexpr double kNarrowToFp8 = 0.91;

double recipe_share(const AcceleratorSpec& accelerator, Precision precision) {
  for (const Precision known : {precision, Precision::fp8}) {
    const auto found = accelerator.recipe_products.find(known);
    if (found != accelerator.recipe_products.end()) return found->second.value;
  }
  const double narrow = accelerator.narrow_products.value;
  return (narrow > 0 ? narrow : kPooledNarrow) * kNarrowToFp8;
}

// Passes over memory reach this: the median of rows "elementwise" over nine chips, 0.74 to 0.91, and on Blackwell, of which
// the file has casts alone, what SimuMax has of B200's default kernels, 0.67, and what those casts reach; the same file has 3 us
// between kernels of a trace or a graph, which is what a full queue adds to each.
constexpr double kPassMemory = 0.81, kPassMemoryOfBlackwell = 0.65;
constexpr Seconds kKernelGap = microseconds(3);

double share_in(const std::map<Precision, Sourced<double>>& shares, Precision precision) {
  const auto found = shares.find(precision);
  return found == shares.end() ? 1 : found->second.value;
}

// Matrix units give 16-bit formats more than twice the rate of fp32, or formats that vector units do not have.
bool has_narrow_units(const AcceleratorSpec& accelerator) {
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
  const auto& shape = shape_of<AttentionShape>(key);
  const double width = double(shape.channels + shape.values) / 2;
  const double share = (forward ? kAttentionForward : kAttentionBackward) / (1 + kShortQueries / double(shape.queries));
  return share / (1 + kExponentials * (kUsualHead / width - 1));
}

std::optional<ProductEfficiency> product_efficiency(const AcceleratorSpec& accelerator, Precision precision) {
  if (accelerator.family == AcceleratorFamily::cpu) return std::nullopt;
  if (is_recipe(precision)) return ProductEfficiency{recipe_share(accelerator, precision), kProductMemory};
  const bool fp32 = precision == Precision::fp32;
  const double known = (fp32 ? accelerator.fp32_products : accelerator.narrow_products).value;
  const double pooled = fp32 ? kPooledFp32 : kPooledNarrow;
  return ProductEfficiency{known > 0 ? known : pooled, kProductMemory};
}

double sustained_share(const AcceleratorSpec& accelerator, Precision precision) {
  return share_in(accelerator.sustained_products, precision);
}

double tuned_share(const AcceleratorSpec& accelerator, Precision precision) {
  return share_in(accelerator.tuned_products, precision);
}

double grouped_share(const KernelWork& work, const AcceleratorSpec& accelerator) {
  const auto* shape = std::get_if<DenseShape>(&work.key.shape);
  if (shape == nullptr || shape->products == 1 || !accelerator.peak.contains(Precision::nvfp4)) return 1;
  return kGroupedOfBlackwell / (1 + kGroupedRows / double(shape->rows));
}

double direction_share(KernelOp op) { return op == KernelOp::dense_weight_gradient ? kWeightGradient : 1; }

CastBytes cast_bytes(const KernelWork& work) {
  const Precision precision = work.key.precision;
  const bool forward = work.key.op == KernelOp::dense_forward;
  if (!is_recipe(precision) || (!forward && work.key.op != KernelOp::dense_input_gradient)) return {};
  const auto& shape = shape_of<DenseShape>(work.key);
  const double values = double(shape.rows) * double(forward ? shape.inputs : shape.outputs) * double(shape.products);
  const Bytes read = element_size(precision), twice = 2 * operand_size(precision);
  const bool whole_scale = precision == Precision::fp8 || precision == Precision::int8 || precision == Precision::nvfp4;
  return {(read + twice) * values, whole_scale ? read * (kScalePasses * values) : Bytes(0)};
}

Seconds cast_time(const KernelWork& work, const AcceleratorSpec& accelerator, BytesPerSecond bandwidth) {
  const CastBytes bytes = cast_bytes(work);
  const double pass = accelerator.peak.contains(Precision::nvfp4) ? kCastPassOfBlackwell : kCastPass;
  return bytes.cast / (bandwidth * pass) + bytes.scale / (bandwidth * kScalePass);
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
  const bool vector = is_narrow(precision) && !has_narrow_units(accelerator);
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

std::optional<EfficiencyCurve> operator_curve(const AcceleratorSpec& accelerator, Precision precision) {
  if (accelerator.family != AcceleratorFamily::gpu) return std::nullopt;
  EfficiencyCurve curve;
  curve.precision = precision;
  curve.compute = product_efficiency(accelerator, precision)->compute;
  curve.memory = accelerator.peak.contains(Precision::nvfp4) ? kPassMemoryOfBlackwell : kPassMemory;
  curve.per_kernel = kKernelGap;
  curve.source = {Provenance::fitted, "what single operators reach: calibrate/published/operator_efficiency.csv",
                  "2025"};
  return curve;
}

bool same_rate(const AcceleratorSpec& accelerator, Precision a, Precision b) {
  if (a == b) return true;
  if (!is_narrow(a) || !is_narrow(b)) return false;
  const auto one = accelerator.peak.find(a), other = accelerator.peak.find(b);
  return one != accelerator.peak.end() && other != accelerator.peak.end() && one->second.value == other->second.value;
}

}  // namespace mlsim::sim
