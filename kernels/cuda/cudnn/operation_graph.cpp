#include "kernels/cuda/cudnn/operation_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "kernels/cuda/operations/activation.hpp"

namespace mlsim::kernels::cuda {
namespace {

using Dims = std::array<std::int64_t, 4>;

struct Operands {
  std::size_t inputs, outputs;
};

Operands operands_of(GraphOp op) {
  if (op == GraphOp::relu) return {1, 1};
  return op == GraphOp::statistics ? Operands{1, 2} : Operands{2, 1};
}

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(fmt::format("an operation graph in which {}", what));
}

Dims image(const ImageWindows& s) { return {s.batch, s.channels, s.height, s.width}; }
Dims weights(const ImageWindows& s) { return {s.outputs, s.group_channels(), s.kernel_h, s.kernel_w}; }
Dims output(const ImageWindows& s) { return {s.batch, s.outputs, s.out_h(), s.out_w()}; }

bool extends_to(const Dims& small, const Dims& whole) {
  return std::equal(small.begin(), small.end(), whole.begin(), [](auto a, auto b) { return a == b || a == 1; });
}

void verify_extents(const OperationGraph& graph, const GraphNode& node) {
  const auto read = [&](std::size_t i) { return graph.tensor(node.inputs[i]).dims; };
  const auto& written = graph.tensor(node.outputs[0]);
  switch (node.op) {
    case GraphOp::convolution:
    case GraphOp::input_gradient: {
      const bool forward = node.op == GraphOp::convolution;
      const Dims in = image(graph.windows), out = output(graph.windows);
      return require(
          read(0) == (forward ? in : out) && read(1) == weights(graph.windows) && written.dims == (forward ? out : in),
          "a convolution's tensors have other extents than its windows");
    }
    case GraphOp::multiply:
    case GraphOp::add:
      return require(read(0) == written.dims && extends_to(read(1), written.dims), "operands' extents do not fit");
    case GraphOp::relu: return require(read(0) == written.dims, "a ReLU's extents do not fit");
    case GraphOp::relu_gradient:
      return require(read(0) == written.dims && read(1) == written.dims, "a ReLU's extents do not fit");
    case GraphOp::statistics:
      for (const int each : node.outputs) {
        const GraphTensor& sums = graph.tensor(each);
        require(sums.dims == Dims{1, read(0)[1], 1, 1} && sums.format == Format::fp32,
                "statistics are not one fp32 number a channel");
      }
  }
}

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

std::array<std::int64_t, 4> GraphTensor::strides() const {
  return {dims[1] * dims[2] * dims[3], 1, dims[1] * dims[3], dims[1]};
}

const GraphNode* OperationGraph::writer(int tensor) const {
  for (const auto& node : nodes) {
    if (std::count(node.outputs.begin(), node.outputs.end(), tensor) > 0) return &node;
  }
  return nullptr;
}

bool OperationGraph::is_read(int tensor) const {
  return std::any_of(nodes.begin(), nodes.end(), [&](const GraphNode& node) {
    return std::count(node.inputs.begin(), node.inputs.end(), tensor) > 0;
  });
}

Bytes graph_bytes(const OperationGraph& graph) {
  Bytes sum;
  for (const auto& tensor : graph.tensors) {
    if (!tensor.is_virtual) sum += Bytes(double(tensor.elements()) * double(size_of(tensor.format)));
  }
  return sum;
}

void verify(const OperationGraph& graph) {
  const int count = static_cast<int>(graph.tensors.size());
  const auto exists = [&](int tensor) { return tensor >= 0 && tensor < count; };
  std::vector<int> written;
  const auto is_written = [&](int tensor) { return std::count(written.begin(), written.end(), tensor) > 0; };
  for (const auto& node : graph.nodes) {
    const Operands operands = operands_of(node.op);
    require(node.inputs.size() == operands.inputs && node.outputs.size() == operands.outputs,
            "a node has not the operands of its kind");
    for (const int each : node.inputs) {
      require(exists(each), "a node reads no tensor");
      require(is_written(each) || graph.writer(each) == nullptr, "a tensor is read before it is written");
    }
    for (const int each : node.outputs) {
      require(exists(each) && !is_written(each), "a tensor is written twice");
      written.push_back(each);
    }
    verify_extents(graph, node);
  }
  for (int tensor = 0; tensor < count; ++tensor) {
    const bool inner = is_written(tensor) && graph.is_read(tensor);
    require(graph.tensor(tensor).elements() > 0, "a tensor is empty");
    require(is_written(tensor) || graph.is_read(tensor), "a tensor is not used");
    require(inner || !graph.tensor(tensor).is_virtual, "an input or a result is not in memory");
  }
}

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
