#include "kernels/cuda/cudnn/fused_convolution.hpp"

#include <stdexcept>

namespace mlsim::kernels::cuda {
namespace {

class Builder {
 public:
  Builder(const ImageWindows& shape, Precision precision) : format_(storage_format(precision)) {
    graph_.windows = shape;
  }

  int image() { return stored({windows().batch, windows().channels, windows().height, windows().width}); }
  int output() { return stored({windows().batch, windows().outputs, windows().out_h(), windows().out_w()}); }
  int weights() {
    return stored({windows().outputs, windows().group_channels(), windows().kernel_h, windows().kernel_w});
  }
  int per_output() { return stored({1, windows().outputs, 1, 1}); }
  int sums() { return add({{1, windows().outputs, 1, 1}, Format::fp32, false}); }
  /// Adds a tensor with the extents of another, and in fp32, as it stands in registers.
  int between(int tensor) { return add({graph_.tensor(tensor).dims, Format::fp32, true}); }

  void node(GraphOp op, std::vector<int> inputs, std::vector<int> outputs) {
    graph_.nodes.push_back({op, std::move(inputs), std::move(outputs)});
  }

  OperationGraph finished() {
    verify(graph_);
    return std::move(graph_);
  }

 private:
  const ImageWindows& windows() const { return graph_.windows; }
  int stored(const std::array<std::int64_t, 4>& dims) { return add({dims, format_, false}); }
  int add(const GraphTensor& tensor) {
    graph_.tensors.push_back(tensor);
    return static_cast<int>(graph_.tensors.size()) - 1;
  }

  Format format_;
  OperationGraph graph_;
};

FusedConvolution norm_relu_add(const ImageWindows& shape, Precision precision) {
  Builder b(shape, precision);
  const int x = b.image(), weights = b.weights(), scale = b.per_output(), shift = b.per_output();
  const int residual = b.output(), y = b.output();
  const int convolved = b.between(y), scaled = b.between(y), shifted = b.between(y), sum = b.between(y);
  b.node(GraphOp::convolution, {x, weights}, {convolved});
  b.node(GraphOp::multiply, {convolved, scale}, {scaled});
  b.node(GraphOp::add, {scaled, shift}, {shifted});
  b.node(GraphOp::add, {shifted, residual}, {sum});
  b.node(GraphOp::relu, {sum}, {y});
  const std::int64_t rows = shape.output_elements() / shape.outputs;
  return {b.finished(),
          Direction::forward,
          y,
          {"norm_relu_add", false, precision, {rows, shape.outputs}},
          {y, scale, shift, residual, y}};
}

FusedConvolution statistics(const ImageWindows& shape, Precision precision) {
  Builder b(shape, precision);
  const int x = b.image(), weights = b.weights(), y = b.output(), sum = b.sums(), squares = b.sums();
  b.node(GraphOp::convolution, {x, weights}, {y});
  b.node(GraphOp::statistics, {y}, {sum, squares});
  const std::int64_t rows = shape.output_elements() / shape.outputs;
  return {b.finished(),
          Direction::forward,
          y,
          {"channel_statistics", false, precision, {rows, shape.outputs}},
          {y, sum, squares}};
}

FusedConvolution input_gradient_relu(const ImageWindows& shape, Precision precision) {
  Builder b(shape, precision);
  const int gradient = b.output(), weights = b.weights(), activation = b.image(), dx = b.image();
  const int convolved = b.between(dx);
  b.node(GraphOp::input_gradient, {gradient, weights}, {convolved});
  b.node(GraphOp::relu_gradient, {convolved, activation}, {dx});
  return {b.finished(),
          Direction::input_gradient,
          dx,
          {"relu_gradient", false, precision, {shape.input_elements()}},
          {dx, activation, dx}};
}

}  // namespace

FusedConvolution fused_convolution(const std::string& kind, const ImageWindows& shape, Precision precision) {
  if (kind == "conv_norm_relu_add") return norm_relu_add(shape, precision);
  if (kind == "conv_statistics") return statistics(shape, precision);
  if (kind == "conv_input_gradient_relu") return input_gradient_relu(shape, precision);
  throw std::logic_error("no fused convolution has the name " + kind);
}

}  // namespace mlsim::kernels::cuda
