#include "kernels/cuda/cudnn/fused_convolution.hpp"

#include <cmath>
#include <stdexcept>

#include "catch.hpp"
#include "kernels/cuda/cudnn/operation_graph.hpp"
#include "kernels/cuda/operations/pointwise_operations.hpp"
#include "kernels/cuda/operations/row_operations.hpp"
#include "tests/kernels/cuda/operations/host_executor.hpp"

namespace mlsim::kernels::cuda {
namespace {

// An odd image, a stride, and channels that are no whole vectors.
const ImageWindows kShape{2, 6, 7, 5, 10, 3, 3, 2, 2, 1, false};

const std::vector<std::string> kKinds{"conv_norm_relu_add", "conv_statistics", "conv_input_gradient_relu"};

Array array_of(const GraphTensor& tensor) {
  return {tensor.format, tensor.is_virtual ? 0 : tensor.elements(), -1, 1, false, {}};
}

ElementAt random_input(const OperationGraph& graph, int tensor) {
  return [spec = array_of(graph.tensor(tensor)), tensor](std::int64_t i) { return input_value(spec, tensor, i); };
}

TensorValues inputs_of(const OperationGraph& graph) {
  TensorValues known;
  for (int tensor = 0; tensor < static_cast<int>(graph.tensors.size()); ++tensor) {
    if (graph.writer(tensor) == nullptr) known[tensor] = random_input(graph, tensor);
  }
  return known;
}

void store(Pointers pointers, int tensor, const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) pointers.get<float>(tensor)[i] = static_cast<float>(values[i]);
}

Operation<HostExecutor> host_epilogue(const OperationName& name) {
  if (auto op = pointwise_operation<HostExecutor>(name)) return *op;
  return row_operation<HostExecutor>(name).value();
}

// The twin as it runs on a GPU, in fp32: the convolution by the reference of convolutions, then our kernels.
HostArrays twin_result(const FusedConvolution& fused) {
  const OperationGraph& graph = fused.graph;
  std::vector<Array> specs;
  for (const auto& tensor : graph.tensors) specs.push_back(array_of(tensor));
  HostArrays arrays(specs);
  const auto& reads = graph.nodes.front().inputs;
  std::vector<double> convolved;
  for (std::int64_t i = 0; i < graph.tensor(fused.convolved).elements(); ++i) {
    convolved.push_back(convolution_element(graph.windows, fused.direction, i, random_input(graph, reads[0]),
                                            random_input(graph, reads[1])));
  }
  const Pointers all = arrays.pointers();
  store(all, fused.convolved, convolved);
  Pointers operands;
  for (const int tensor : fused.operands) operands.at.push_back(all.at[tensor]);
  HostExecutor executor;
  host_epilogue(fused.epilogue).run(executor, operands);
  return arrays;
}

}  // namespace

TEST_CASE("a fused convolution's twin computes what its graph says") {
  for (const auto& kind : kKinds) {
    const FusedConvolution fused = fused_convolution(kind, kShape, Precision::fp32);
    const HostArrays twin = twin_result(fused);
    const TensorValues known = inputs_of(fused.graph);
    int results = 0;
    for (int tensor = 0; tensor < static_cast<int>(fused.graph.tensors.size()); ++tensor) {
      if (fused.graph.writer(tensor) == nullptr || fused.graph.tensor(tensor).is_virtual) continue;
      std::vector<double> want;
      for (std::int64_t i = 0; i < fused.graph.tensor(tensor).elements(); ++i) {
        want.push_back(graph_element(fused.graph, tensor, i, known));
      }
      INFO(kind << " tensor " << tensor);
      CHECK(largest_difference(twin.values(tensor), want) < 2e-6);
      ++results;
    }
    CHECK(results == (kind == "conv_statistics" ? 3 : 1));
  }
}

TEST_CASE("a folded normalisation scales and shifts each output channel") {
  const OperationGraph graph = fused_convolution("conv_norm_relu_add", kShape, Precision::fp32).graph;
  const TensorValues known = inputs_of(graph);
  const auto value = [&](int tensor, std::int64_t i) { return known.at(tensor)(i); };
  for (std::int64_t i = 0; i < kShape.output_elements(); i += 7) {
    const double sum = convolution_element(kShape, Direction::forward, i, known.at(0), known.at(1));
    const std::int64_t c = i % kShape.outputs;
    CHECK(graph_element(graph, 5, i, known) ==
          Approx(std::max(0.0, sum * value(2, c) + value(3, c) + value(4, i))).margin(1e-12));
  }
}

TEST_CASE("a gradient stops where the ReLU in front was closed") {
  const OperationGraph graph = fused_convolution("conv_input_gradient_relu", kShape, Precision::fp32).graph;
  TensorValues known = inputs_of(graph);
  const double open = convolution_element(kShape, Direction::input_gradient, 4, known.at(0), known.at(1));
  known[2] = [](std::int64_t i) { return i == 4 ? 0.5 : -0.5; };
  CHECK(graph_element(graph, 3, 4, known) == Approx(open));
  CHECK(graph_element(graph, 3, 5, known) == 0);
}

TEST_CASE("fused convolutions move each tensor once and their twins the convolved one again") {
  const double in = 2.0 * 6 * 35, weights = 10.0 * 6 * 9, out = 2.0 * 10 * 4 * 3;
  const auto graph_of = [](const char* kind) { return fused_convolution(kind, kShape, Precision::fp16); };
  CHECK(graph_bytes(graph_of("conv_norm_relu_add").graph) == Bytes(2 * (in + weights + 2 * out + 20)));
  CHECK(graph_bytes(graph_of("conv_statistics").graph) == Bytes(2 * (in + weights + out) + 4 * 20));
  CHECK(graph_bytes(graph_of("conv_input_gradient_relu").graph) == Bytes(2 * (2 * in + weights + out)));
  for (const auto& kind : kKinds) {
    const FusedConvolution fused = graph_of(kind.c_str());
    const Bytes twin = convolution_bytes(kShape, Precision::fp16) + host_bytes(fused.epilogue);
    CHECK(graph_bytes(fused.graph) < twin);
  }
}

TEST_CASE("activations of a fused convolution have its format, and what stays in registers is fp32") {
  for (const auto& kind : kKinds) {
    for (const auto& tensor : fused_convolution(kind, kShape, Precision::bf16).graph.tensors) {
      const bool sums = kind == "conv_statistics" && tensor.dims == std::array<std::int64_t, 4>{1, 10, 1, 1};
      CHECK(tensor.format == (tensor.is_virtual || sums ? Format::fp32 : Format::bf16));
    }
  }
  CHECK_THROWS_AS(fused_convolution("conv_bias_relu", kShape, Precision::fp16), std::logic_error);
}

}  // namespace mlsim::kernels::cuda
