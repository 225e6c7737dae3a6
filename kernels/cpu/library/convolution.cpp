#include "kernels/cpu/library/convolution.hpp"

#include <omp.h>

#include <array>
#include <unordered_map>

#include "core/profile/measurement.hpp"
#include "core/text/errors.hpp"
#include "kernels/cpu/framework/buffer.hpp"
#include "kernels/cpu/library/onednn.hpp"

namespace mlsim::kernels {
namespace {

using dnnl::memory;
using onednn::Desc;
using onednn::Tag;
constexpr auto kDirect = dnnl::algorithm::convolution_direct;

// Holds the descriptors of input, weights and output.
using Descs = std::array<Desc, 3>;

struct Dims {
  memory::dims input, weights, output, strides, padding;
  bool grouped;
};

Dims dims_of(const WindowShape& s) {
  const Window& w = s.window;
  Dims dims{{s.batch, s.c_in, s.h_in, s.w_in},
            {s.c_out, s.c_in, w.kernel_h, w.kernel_w},
            {s.batch, s.c_out, s.h_out(), s.w_out()},
            {w.stride_h, w.stride_w},
            {w.padding_h, w.padding_w},
            s.groups > 1};
  if (dims.grouped) dims.weights = {s.groups, s.c_out / s.groups, s.c_in / s.groups, w.kernel_h, w.kernel_w};
  return dims;
}

Descs wanted(const Dims& dims, std::int64_t block) {
  const auto activation = [&](const memory::dims& each) {
    const bool blocked = block != kPreferredLayout && each[1] >= block;
    return onednn::fp32_desc(each, blocked ? onednn::activation_tag(block) : Tag::any);
  };
  return {activation(dims.input), onednn::fp32_desc(dims.weights, Tag::any), activation(dims.output)};
}

// Asks for a layer as image networks have most of: oneDNN chooses by layout and instruction set, hardly by extents. It
// runs on the threads that were asked for last, as primitives made after it shall.
bool convolves_in(std::int64_t block) {
  const WindowShape layer{1, 16, 8, 8, 16, 1, {3, 3, 1, 1, 1, 1}};
  for (const auto pass : {ConvolutionPass::forward, ConvolutionPass::input_gradient, ConvolutionPass::weight_gradient})
    if (is_reference(Convolution(layer, pass, block, omp_get_max_threads()).implementation())) return false;
  return true;
}

}  // namespace

struct Convolution::Primitive {
  Primitive(const WindowShape& shape, ConvolutionPass pass, std::int64_t block);

  dnnl::primitive primitive;
  std::string implementation;
  std::unordered_map<int, int> arguments;  // arguments of the primitive -> operands
  Descs descs;                             // as the caller holds them
  Descs plain;
  Desc own_weights;  // as the primitive wants them
  Buffer changed_weights;
  dnnl::reorder change;
  ConvolutionPass pass;
};

Convolution::Primitive::Primitive(const WindowShape& shape, ConvolutionPass the_pass, std::int64_t block)
    : pass(the_pass) {
  const Dims dims = dims_of(shape);
  const Descs any = wanted(dims, block);
  const dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, kDirect, any[0], any[1], any[2], dims.strides, dims.padding, dims.padding},
      onednn::engine());
  if (pass == ConvolutionPass::forward) {
    primitive = dnnl::convolution_forward(forward);
    implementation = forward.impl_info_str();
    descs = {forward.src_desc(), forward.weights_desc(), forward.dst_desc()};
    arguments = {{DNNL_ARG_SRC, 0}, {DNNL_ARG_WEIGHTS, 1}, {DNNL_ARG_DST, 2}};
  } else if (pass == ConvolutionPass::input_gradient) {
    const dnnl::convolution_backward_data::primitive_desc backward(
        {kDirect, any[0], any[1], any[2], dims.strides, dims.padding, dims.padding}, onednn::engine(), forward);
    primitive = dnnl::convolution_backward_data(backward);
    implementation = backward.impl_info_str();
    descs = {backward.diff_src_desc(), backward.weights_desc(), backward.diff_dst_desc()};
    arguments = {{DNNL_ARG_DIFF_SRC, 0}, {DNNL_ARG_WEIGHTS, 1}, {DNNL_ARG_DIFF_DST, 2}};
  } else {
    const dnnl::convolution_backward_weights::primitive_desc backward(
        {kDirect, any[0], any[1], any[2], dims.strides, dims.padding, dims.padding}, onednn::engine(), forward);
    primitive = dnnl::convolution_backward_weights(backward);
    implementation = backward.impl_info_str();
    descs = {backward.src_desc(), backward.diff_weights_desc(), backward.diff_dst_desc()};
    arguments = {{DNNL_ARG_SRC, 0}, {DNNL_ARG_DIFF_WEIGHTS, 1}, {DNNL_ARG_DIFF_DST, 2}};
  }
  plain = {onednn::fp32_desc(dims.input, Tag::nchw),
           onednn::fp32_desc(dims.weights, dims.grouped ? Tag::goihw : Tag::oihw),
           onednn::fp32_desc(dims.output, Tag::nchw)};
  own_weights = descs[1];
  descs[1] = forward.weights_desc();
  if (own_weights == descs[1]) return;
  changed_weights = Buffer(onednn::elements(own_weights));
  const auto ours = onednn::tensor(own_weights, changed_weights.data()), callers = onednn::tensor(descs[1], nullptr);
  change = pass == ConvolutionPass::input_gradient ? dnnl::reorder(callers, ours) : dnnl::reorder(ours, callers);
}

Convolution::Convolution(const WindowShape& shape, ConvolutionPass pass, std::int64_t block, int threads) {
  onednn::use_threads(threads);
  try {
    primitive_ = std::make_unique<Primitive>(shape, pass, block);
  } catch (const dnnl::error& e) {
    throw Unavailable(std::string("oneDNN ") + onednn::version() + " cannot run this convolution: " + e.what());
  }
}

Convolution::~Convolution() = default;
Convolution::Convolution(Convolution&&) noexcept = default;

const std::string& Convolution::implementation() const { return primitive_->implementation; }

std::int64_t Convolution::elements(ConvolutionOperand operand) const {
  return onednn::elements(primitive_->descs[static_cast<std::size_t>(operand)]);
}

void Convolution::run(float* input, float* weights, float* output) {
  Primitive& p = *primitive_;
  std::array<dnnl::memory, 3> operands{onednn::tensor(p.descs[0], input), onednn::tensor(p.descs[1], weights),
                                       onednn::tensor(p.descs[2], output)};
  const bool changes = p.changed_weights.size() > 0;
  dnnl::memory callers = operands[1];
  if (changes) operands[1] = onednn::tensor(p.own_weights, p.changed_weights.data());
  if (changes && p.pass == ConvolutionPass::input_gradient) p.change.execute(onednn::stream(), callers, operands[1]);
  std::unordered_map<int, dnnl::memory> arguments;
  for (const auto& [argument, operand] : p.arguments) arguments[argument] = operands[operand];
  p.primitive.execute(onednn::stream(), arguments);
  if (changes && p.pass == ConvolutionPass::weight_gradient) p.change.execute(onednn::stream(), operands[1], callers);
  onednn::stream().wait();
}

void Convolution::from_plain(ConvolutionOperand operand, const float* plain, float* data) const {
  const auto i = std::size_t(operand);
  onednn::reorder(primitive_->plain[i], plain, primitive_->descs[i], data);
}

void Convolution::to_plain(ConvolutionOperand operand, const float* data, float* plain) const {
  const auto i = std::size_t(operand);
  onednn::reorder(primitive_->descs[i], data, primitive_->plain[i], plain);
}

std::int64_t channel_block() {
  static const std::int64_t largest = [] {
    for (const std::int64_t block : {16, 8})
      if (convolves_in(block)) return block;
    return std::int64_t{1};
  }();
  return largest;
}

}  // namespace mlsim::kernels
