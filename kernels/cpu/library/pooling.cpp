#include "kernels/cpu/library/pooling.hpp"

#include <unordered_map>

#include "core/text/errors.hpp"
#include "kernels/cpu/library/convolution.hpp"
#include "kernels/cpu/library/onednn.hpp"

namespace mlsim::kernels {

using onednn::Desc;
using onednn::Tag;

struct Pool::Primitives {
  Primitives(const WindowShape& shape, PoolKind kind);

  Desc input, output, plain_input, plain_output;
  dnnl::primitive forward, backward;
  std::string forward_implementation, backward_implementation;
  dnnl::memory workspace;
  bool has_workspace = false;
};

Pool::Primitives::Primitives(const WindowShape& s, PoolKind kind) {
  const Window& w = s.window;
  const dnnl::memory::dims in{s.batch, s.c_in, s.h_in, s.w_in}, out{s.batch, s.c_out, s.h_out(), s.w_out()};
  const dnnl::memory::dims strides{w.stride_h, w.stride_w}, kernel{w.kernel_h, w.kernel_w},
      padding{w.padding_h, w.padding_w};
  const Tag tag = onednn::activation_tag(channel_block());
  input = onednn::fp32_desc(in, tag);
  output = onednn::fp32_desc(out, tag);
  plain_input = onednn::fp32_desc(in, Tag::nchw);
  plain_output = onednn::fp32_desc(out, Tag::nchw);
  const auto algorithm =
      kind == PoolKind::max ? dnnl::algorithm::pooling_max : dnnl::algorithm::pooling_avg_exclude_padding;
  const dnnl::pooling_forward::primitive_desc ahead(
      {dnnl::prop_kind::forward_training, algorithm, input, output, strides, kernel, padding, padding},
      onednn::engine());
  const dnnl::pooling_backward::primitive_desc back({algorithm, input, output, strides, kernel, padding, padding},
                                                    onednn::engine(), ahead);
  forward = dnnl::pooling_forward(ahead);
  backward = dnnl::pooling_backward(back);
  forward_implementation = ahead.impl_info_str();
  backward_implementation = back.impl_info_str();
  has_workspace = kind == PoolKind::max;
  if (has_workspace) workspace = dnnl::memory(ahead.workspace_desc(), onednn::engine());
}

Pool::Pool(const WindowShape& shape, PoolKind kind, int threads) {
  onednn::use_threads(threads);
  try {
    primitives_ = std::make_unique<Primitives>(shape, kind);
  } catch (const dnnl::error& e) {
    throw Unavailable(std::string("oneDNN ") + onednn::version() + " cannot run this pool: " + e.what());
  }
}

Pool::~Pool() = default;
Pool::Pool(Pool&&) noexcept = default;

const std::string& Pool::forward_implementation() const { return primitives_->forward_implementation; }
const std::string& Pool::backward_implementation() const { return primitives_->backward_implementation; }

std::int64_t Pool::input_elements() const { return onednn::elements(primitives_->input); }
std::int64_t Pool::output_elements() const { return onednn::elements(primitives_->output); }

void Pool::forward(const float* input, float* output) {
  Primitives& p = *primitives_;
  std::unordered_map<int, dnnl::memory> arguments{{DNNL_ARG_SRC, onednn::tensor(p.input, input)},
                                                  {DNNL_ARG_DST, onednn::tensor(p.output, output)}};
  if (p.has_workspace) arguments[DNNL_ARG_WORKSPACE] = p.workspace;
  p.forward.execute(onednn::stream(), arguments);
  onednn::stream().wait();
}

void Pool::backward(const float* output_gradient, float* input_gradient) {
  Primitives& p = *primitives_;
  std::unordered_map<int, dnnl::memory> arguments{{DNNL_ARG_DIFF_DST, onednn::tensor(p.output, output_gradient)},
                                                  {DNNL_ARG_DIFF_SRC, onednn::tensor(p.input, input_gradient)}};
  if (p.has_workspace) arguments[DNNL_ARG_WORKSPACE] = p.workspace;
  p.backward.execute(onednn::stream(), arguments);
  onednn::stream().wait();
}

void Pool::input_from_plain(const float* plain, float* data) const {
  onednn::reorder(primitives_->plain_input, plain, primitives_->input, data);
}
void Pool::input_to_plain(const float* data, float* plain) const {
  onednn::reorder(primitives_->input, data, primitives_->plain_input, plain);
}
void Pool::output_from_plain(const float* plain, float* data) const {
  onednn::reorder(primitives_->plain_output, plain, primitives_->output, data);
}
void Pool::output_to_plain(const float* data, float* plain) const {
  onednn::reorder(primitives_->output, data, primitives_->plain_output, plain);
}

}  // namespace mlsim::kernels
