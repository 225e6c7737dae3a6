#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "core/kernel/kernel_key.hpp"
#include "core/text/errors.hpp"
#include "kernels/cpu/framework/buffer.hpp"
#include "kernels/cpu/framework/reference.hpp"
#include "kernels/cpu/fused/batch_norm.hpp"
#include "kernels/cpu/fused/stream.hpp"
#include "kernels/cpu/kernel_operations.hpp"
#include "kernels/cpu/library/convolution.hpp"
#include "kernels/cpu/library/matrix_product.hpp"
#include "kernels/cpu/library/onednn.hpp"

namespace mlsim::kernels {
namespace {

// A `SeparateNorm` does batch normalisation, sum and ReLU by oneDNN, each a kernel of its own: the unfused twin of
// fused/batch_norm.hpp.
class SeparateNorm {
 public:
  SeparateNorm(BlockedShape s, int threads)
      : activations_(onednn::fp32_desc({s.batch, s.channels, s.positions, 1}, onednn::activation_tag(s.block))),
        channels_(onednn::fp32_desc({s.channels}, onednn::Tag::a)),
        scale_(s.channels),
        shift_(s.channels),
        mean_(s.channels),
        variance_(s.channels),
        normalised_(s.elements()),
        added_(s.elements()) {
    onednn::use_threads(threads);
    std::fill(scale_.begin(), scale_.end(), 1.0f);
    const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
    const dnnl::batch_normalization_forward::primitive_desc norm(
        {dnnl::prop_kind::forward_training, activations_, 1e-5f, flags}, onednn::engine());
    const dnnl::binary::primitive_desc sum({dnnl::algorithm::binary_add, activations_, activations_, activations_},
                                           onednn::engine());
    const dnnl::eltwise_forward::primitive_desc relu(
        {dnnl::prop_kind::forward_training, dnnl::algorithm::eltwise_relu, activations_, 0.0f}, onednn::engine());
    norm_ = dnnl::batch_normalization_forward(norm);
    sum_ = dnnl::binary(sum);
    relu_ = dnnl::eltwise_forward(relu);
    implementation_ = std::string(norm.impl_info_str()) + ", " + sum.impl_info_str() + ", " + relu.impl_info_str();
  }

  // Returns oneDNN's names of the three: "bnorm_jit:avx2, jit:uni, jit:avx2".
  const std::string& implementation() const { return implementation_; }

  // y = relu(normalised(x) + residual), with scale 1 and shift 0, in three kernels.
  void run(const float* x, const float* residual, float* y) {
    const auto whole = [&](const float* data) { return onednn::tensor(activations_, data); };
    const auto each = [&](const Buffer& buffer) { return onednn::tensor(channels_, buffer.data()); };
    const auto normalised = whole(normalised_.data()), added = whole(added_.data());
    norm_.execute(onednn::stream(), {{DNNL_ARG_SRC, whole(x)},
                                     {DNNL_ARG_SCALE, each(scale_)},
                                     {DNNL_ARG_SHIFT, each(shift_)},
                                     {DNNL_ARG_MEAN, each(mean_)},
                                     {DNNL_ARG_VARIANCE, each(variance_)},
                                     {DNNL_ARG_DST, normalised}});
    sum_.execute(onednn::stream(),
                 {{DNNL_ARG_SRC_0, normalised}, {DNNL_ARG_SRC_1, whole(residual)}, {DNNL_ARG_DST, added}});
    relu_.execute(onednn::stream(), {{DNNL_ARG_SRC, added}, {DNNL_ARG_DST, whole(y)}});
    onednn::stream().wait();
  }

 private:
  onednn::Desc activations_, channels_;
  Buffer scale_, shift_, mean_, variance_, normalised_, added_;
  dnnl::primitive norm_, sum_, relu_;
  std::string implementation_;
};

double elements(RowShape shape) { return double(shape.elements()); }

// Counts reads and writes of a multi-tensor update, in elements per parameter, as update_cost does in
// workloads/lowering/optimizer.hpp.
double update_elements(UpdateRule rule) {
  switch (rule) {
    case UpdateRule::sgd: return 3;
    case UpdateRule::momentum: return 5;
    case UpdateRule::lars:
    case UpdateRule::adam: return 7;
    case UpdateRule::lamb: return 11;
    default: throw std::logic_error("no probe runs " + std::string(name(rule)));
  }
}

// The unfused step is two matrix-vector products, the loss, its gradient and the update, each a kernel.
void logistic_step_in_kernels(RowShape shape, float rate, LogisticOperands& o) {
  multiply({shape.rows, 1, shape.columns, 1, false, false, shape.threads}, o.features.data(), o.weights.data(),
           o.logits.data());
  sigmoid_loss(o.logits.data(), o.labels.data(), shape.rows, o.losses.data(), shape.threads);
  sigmoid_loss_gradient(o.logits.data(), o.labels.data(), shape.rows, o.logit_gradient.data(), shape.threads);
  multiply({shape.columns, 1, shape.rows, 1, true, false, shape.threads}, o.features.data(), o.logit_gradient.data(),
           o.gradient.data());
  for (std::int64_t i = 0; i < shape.columns; ++i) o.weights[i] -= rate * o.gradient[i];
}

double logistic_error(RowShape shape, LogisticOperands& o, const std::function<void()>& run, double rate) {
  const Buffer before = copy_of(o.weights);
  std::vector<double> gradient(shape.columns);
  for (std::int64_t r = 0; r < shape.rows; ++r) {
    double logit = 0;
    const auto x = [&](std::int64_t c) { return double(o.features[r * shape.columns + c]); };
    for (std::int64_t c = 0; c < shape.columns; ++c) logit += x(c) * double(before[c]);
    const double slope = (1 / (1 + std::exp(-logit)) - double(o.labels[r])) / double(shape.rows);
    for (std::int64_t c = 0; c < shape.columns; ++c) gradient[c] += slope * x(c);
  }
  run();
  ErrorMeter meter;
  for (std::int64_t c = 0; c < shape.columns; ++c)
    meter.compare(double(o.weights[c]), double(before[c]) - rate * gradient[c]);
  return meter.largest();
}

}  // namespace

CpuOperation copy_probe(std::int64_t bytes, int threads) {
  struct Operands {
    Buffer from, to;
  };
  const std::int64_t count = std::max<std::int64_t>(bytes / 4, 1);
  const auto o = std::make_shared<Operands>(Operands{random_buffer(count, 1), Buffer(count)});
  const auto run = [=] { copy_stream(o->from.data(), count, o->to.data(), threads); };
  return {run,
          [=] {
            run();
            ErrorMeter meter;
            for_checked(count, 1, [&](std::int64_t i) { meter.compare(double(o->to[i]), double(o->from[i])); });
            return meter.largest();
          },
          Bytes(2.0 * double(bytes)), Flop(0)};
}

CpuOperation gemm_probe(std::int64_t m, std::int64_t n, std::int64_t k, int threads) {
  return matrix_operation({KernelOp::matmul, Precision::fp32, ProductShape{m, n, k}}, threads);
}

CpuOperation bias_relu_probe(RowShape shape, bool fused) {
  struct Operands {
    Buffer x, bias, y;
  };
  const auto o = std::make_shared<Operands>(
      Operands{random_buffer(shape.elements(), 1), random_buffer(shape.columns, 2), Buffer(shape.elements())});
  const auto run = [=] { (fused ? bias_relu : bias_then_relu)(shape, o->x.data(), o->bias.data(), o->y.data()); };
  const auto error = [=] {
    run();
    ErrorMeter meter;
    for_checked(shape.elements(), 1, [&](std::int64_t i) {
      meter.compare(double(o->y[i]), std::max(0.0, double(o->x[i]) + double(o->bias[i % shape.columns])));
    });
    return meter.largest();
  };
  return {run, error, fp32_bytes(2 * elements(shape) + double(shape.columns)), Flop(0)};
}

CpuOperation norm_relu_add_probe(RowShape shape, bool fused) {
  const KernelKey key{KernelOp::batch_norm_forward, Precision::fp32,
                      RowsShape{shape.rows, shape.columns, shape.elements()}};
  if (fused) return batch_norm_operation(key, shape.threads);
  struct Operands {
    BlockedShape shape;
    SeparateNorm norm;
    BatchNorm reference;  // holds the scale of 1 and the shift of 0
    Buffer x, residual, y;
  };
  const BlockedShape blocked{1, shape.columns, shape.rows, channel_block()};
  const auto o = std::shared_ptr<Operands>(new Operands{
      blocked, SeparateNorm(blocked, shape.threads), BatchNorm(blocked, shape.threads),
      random_buffer(blocked.elements(), 1), random_buffer(blocked.elements(), 2), Buffer(blocked.elements())});
  const auto run = [=] { o->norm.run(o->x.data(), o->residual.data(), o->y.data()); };
  const auto error = [=] {
    run();
    ErrorMeter meter;
    for_checked(blocked.channels, blocked.rows() * 10, [&](std::int64_t channel) {
      const auto reference = norm_channel(o->reference, o->x.data(), o->residual.data(), true, channel);
      for (std::int64_t r = 0; r < blocked.rows(); ++r)
        meter.compare(double(o->y[blocked_index(blocked, channel, r)]), reference[r]);
    });
    return meter.largest();
  };
  CpuOperation operation{run, error, fp32_bytes(3.5 * elements(shape)), Flop(0)};
  operation.implementation = o->norm.implementation();
  return operation;
}

CpuOperation softmax_probe(RowShape shape, bool fused) {
  const auto o = std::make_shared<SoftmaxLossOperands>(random_softmax_operands(shape));
  const auto run = [=] { (fused ? softmax_cross_entropy : softmax_cross_entropy_in_passes)(shape, *o); };
  const auto error = [=] {
    run();
    return std::max(softmax_error(shape, *o, true), softmax_error(shape, *o, false));
  };
  return {run, error, fp32_bytes(2 * elements(shape)), Flop(0)};
}

CpuOperation update_probe(UpdateRule rule, std::int64_t parameters, std::int64_t tensors, bool fused, int threads) {
  if (tensors > parameters) throw InputError("probe", "there are more tensors than parameters");
  const auto all = std::make_shared<Tensors>(parameters, tensors, 1);
  const auto run = [=] { fused ? update_fused(rule, *all, threads) : update_in_operators(rule, *all, threads); };
  return {run, [=] { return update_error(rule, *all, run); }, fp32_bytes(update_elements(rule) * double(parameters)),
          Flop(0)};
}

CpuOperation logistic_probe(RowShape shape, bool fused) {
  constexpr float kRate = 0.1f;
  const auto o = std::make_shared<LogisticOperands>(shape, 1);
  const auto run = [=] { (fused ? logistic_step : logistic_step_in_kernels)(shape, kRate, *o); };
  return {run, [=] { return logistic_error(shape, *o, run, double(kRate)); },
          fp32_bytes(elements(shape) + 2 * double(shape.columns)), Flop(4 * elements(shape))};
}

}  // namespace mlsim::kernels
