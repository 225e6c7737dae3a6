#include "kernels/cuda/cudnn/graph_reference.hpp"

#include <stdexcept>

#include "kernels/cuda/operations/activation.hpp"

namespace mlsim::kernels::cuda {
namespace {

// Finds where the element of `whole` at index i has its partner in a tensor whose extents are as large or 1.
std::int64_t partner_index(const GraphTensor& whole, const GraphTensor& partner, std::int64_t i) {
  const auto& d = whole.dims;
  const std::array<std::int64_t, 4> place{i / (d[1] * d[2] * d[3]), i % d[1], i / (d[1] * d[3]) % d[2],
                                          i / d[1] % d[3]};
  const auto strides = partner.strides();
  std::int64_t index = 0;
  for (std::size_t k = 0; k < place.size(); ++k) index += partner.dims[k] == 1 ? 0 : place[k] * strides[k];
  return index;
}

class Reference {
 public:
  Reference(const OperationGraph& graph, const TensorValues& known) : graph_(graph), known_(known) {}

  double element(int tensor, std::int64_t i) const {
    if (const auto value = known_.find(tensor); value != known_.end()) return value->second(i);
    const GraphNode* const node = graph_.writer(tensor);
    if (node == nullptr) throw std::logic_error("an operation graph's input is not known");
    return result(*node, tensor, i);
  }

 private:
  double result(const GraphNode& node, int tensor, std::int64_t i) const {
    const int first = node.inputs.front(), second = node.inputs.back();
    const auto x = [&](std::int64_t at) { return element(first, at); };
    const auto y = [&](std::int64_t at) { return element(second, at); };
    const auto partner = [&] { return y(partner_index(graph_.tensor(tensor), graph_.tensor(second), i)); };
    switch (node.op) {
      case GraphOp::convolution: return convolution_element(graph_.windows, Direction::forward, i, x, y);
      case GraphOp::input_gradient: return convolution_element(graph_.windows, Direction::input_gradient, i, x, y);
      case GraphOp::multiply: return x(i) * partner();
      case GraphOp::add: return x(i) + partner();
      case GraphOp::relu: return relu(x(i));
      case GraphOp::relu_gradient: return y(i) > 0 ? x(i) : 0;
      case GraphOp::statistics: return sum_of_channel(first, i, tensor == node.outputs.back());
    }
    throw std::logic_error("no such operation");
  }

  double sum_of_channel(int tensor, std::int64_t channel, bool squares) const {
    const std::int64_t channels = graph_.tensor(tensor).dims[1], end = graph_.tensor(tensor).elements();
    double sum = 0;
    for (std::int64_t i = channel; i < end; i += channels) {
      const double value = element(tensor, i);
      sum += squares ? value * value : value;
    }
    return sum;
  }

  const OperationGraph& graph_;
  const TensorValues& known_;
};

}  // namespace

double graph_element(const OperationGraph& graph, int tensor, std::int64_t i, const TensorValues& known) {
  return Reference(graph, known).element(tensor, i);
}

double graph_depth(const OperationGraph& graph, int tensor) {
  const GraphNode* const node = graph.writer(tensor);
  if (node != nullptr && node->op == GraphOp::statistics) {
    const GraphTensor& image = graph.tensor(node->inputs.front());
    return double(image.elements()) / double(image.dims[1]);
  }
  return convolution_flop(graph.windows).value / 2 / double(graph.tensor(tensor).elements());
}

}  // namespace mlsim::kernels::cuda
