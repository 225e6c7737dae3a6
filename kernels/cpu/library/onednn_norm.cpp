#include "kernels/cpu/library/onednn_norm.hpp"

#include <algorithm>

#include "kernels/cpu/library/onednn.hpp"

namespace mlsim::kernels {

struct SeparateNorm::Primitives {
  explicit Primitives(BlockedShape shape);

  onednn::Desc activations, channels;
  Buffer scale, shift, mean, variance, normalised, added;
  dnnl::primitive norm, sum, relu;
  std::string implementation;
};

SeparateNorm::Primitives::Primitives(BlockedShape s)
    : activations(onednn::fp32_desc({s.batch, s.channels, s.positions, 1}, onednn::activation_tag(s.block))),
      channels(onednn::fp32_desc({s.channels}, onednn::Tag::a)),
      scale(s.channels),
      shift(s.channels),
      mean(s.channels),
      variance(s.channels),
      normalised(s.elements()),
      added(s.elements()) {
  std::fill(scale.begin(), scale.end(), 1.0f);
  const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
  const dnnl::batch_normalization_forward::primitive_desc norm_desc(
      {dnnl::prop_kind::forward_training, activations, 1e-5f, flags}, onednn::engine());
  const dnnl::binary::primitive_desc sum_desc({dnnl::algorithm::binary_add, activations, activations, activations},
                                              onednn::engine());
  const dnnl::eltwise_forward::primitive_desc relu_desc(
      {dnnl::prop_kind::forward_training, dnnl::algorithm::eltwise_relu, activations, 0.0f}, onednn::engine());
  norm = dnnl::batch_normalization_forward(norm_desc);
  sum = dnnl::binary(sum_desc);
  relu = dnnl::eltwise_forward(relu_desc);
  implementation =
      std::string(norm_desc.impl_info_str()) + ", " + sum_desc.impl_info_str() + ", " + relu_desc.impl_info_str();
}

SeparateNorm::SeparateNorm(BlockedShape shape, int threads) {
  onednn::use_threads(threads);
  primitives_ = std::make_unique<Primitives>(shape);
}

SeparateNorm::~SeparateNorm() = default;

const std::string& SeparateNorm::implementation() const { return primitives_->implementation; }

void SeparateNorm::run(const float* x, const float* residual, float* y) {
  Primitives& p = *primitives_;
  const auto whole = [&](const float* data) { return onednn::tensor(p.activations, data); };
  const auto each = [&](const Buffer& buffer) { return onednn::tensor(p.channels, buffer.data()); };
  const auto normalised = whole(p.normalised.data()), added = whole(p.added.data());
  p.norm.execute(onednn::stream(), {{DNNL_ARG_SRC, whole(x)},
                                    {DNNL_ARG_SCALE, each(p.scale)},
                                    {DNNL_ARG_SHIFT, each(p.shift)},
                                    {DNNL_ARG_MEAN, each(p.mean)},
                                    {DNNL_ARG_VARIANCE, each(p.variance)},
                                    {DNNL_ARG_DST, normalised}});
  p.sum.execute(onednn::stream(),
                {{DNNL_ARG_SRC_0, normalised}, {DNNL_ARG_SRC_1, whole(residual)}, {DNNL_ARG_DST, added}});
  p.relu.execute(onednn::stream(), {{DNNL_ARG_SRC, added}, {DNNL_ARG_DST, whole(y)}});
  onednn::stream().wait();
}

}  // namespace mlsim::kernels
