#include "kernels/cuda/cudnn/operation_graph.hpp"

#include <stdexcept>

#include "catch.hpp"
#include "kernels/cuda/cudnn/fused_convolution.hpp"

namespace mlsim::kernels::cuda {
namespace {

using Catch::Matchers::ContainsSubstring;

// Two images of two channels, 3 x 3, and one output by a 1 x 1 window, then a ReLU.
OperationGraph small_graph() {
  const ImageWindows windows{2, 2, 3, 3, 1, 1, 1, 1, 1, 1, false};
  const GraphTensor y{{2, 1, 3, 3}, Format::fp16, false};
  return {windows,
          {{{2, 2, 3, 3}, Format::fp16, false}, {{1, 2, 1, 1}, Format::fp16, false}, {y.dims, Format::fp32, true}, y},
          {{GraphOp::convolution, {0, 1}, {2}}, {GraphOp::relu, {2}, {3}}}};
}

ElementAt constant(double value) {
  return [value](std::int64_t) { return value; };
}

}  // namespace

TEST_CASE("channels lie together in a graph's tensors") {
  const GraphTensor tensor{{8, 64, 56, 28}, Format::fp16, false};
  CHECK(tensor.strides() == std::array<std::int64_t, 4>{100352, 1, 1792, 64});
  CHECK(tensor.elements() == 802816);
}

TEST_CASE("a graph moves its tensors in memory and no virtual one") {
  CHECK(graph_bytes(small_graph()) == Bytes(2.0 * (2 * 2 * 9 + 2 + 2 * 9)));
}

TEST_CASE("a graph whose tensors do not fit its nodes is refused") {
  CHECK_NOTHROW(verify(small_graph()));
  const auto wrong = [](auto change) {
    OperationGraph graph = small_graph();
    change(graph);
    return graph;
  };
  CHECK_THROWS_WITH(verify(wrong([](auto& g) { g.tensors[1].dims[1] = 3; })), ContainsSubstring("its windows"));
  CHECK_THROWS_WITH(verify(wrong([](auto& g) { g.tensors[3].dims[2] = 4; })), ContainsSubstring("ReLU's extents"));
  CHECK_THROWS_WITH(verify(wrong([](auto& g) { std::swap(g.nodes[0], g.nodes[1]); })),
                    ContainsSubstring("before it is written"));
  CHECK_THROWS_WITH(verify(wrong([](auto& g) { g.nodes.push_back(g.nodes[1]); })), ContainsSubstring("written twice"));
  CHECK_THROWS_WITH(verify(wrong([](auto& g) { g.tensors.push_back(g.tensors[0]); })), ContainsSubstring("not used"));
  CHECK_THROWS_WITH(verify(wrong([](auto& g) { g.tensors[3].is_virtual = true; })), ContainsSubstring("in memory"));
  CHECK_THROWS_WITH(verify(wrong([](auto& g) { g.tensors[0].is_virtual = true; })), ContainsSubstring("in memory"));
  CHECK_THROWS_WITH(verify(wrong([](auto& g) { g.nodes[1].inputs.push_back(0); })), ContainsSubstring("operands"));
  CHECK_THROWS_WITH(verify(wrong([](auto& g) { g.nodes[1].inputs = {9}; })), ContainsSubstring("no tensor"));
}

TEST_CASE("an inner tensor may be in memory, too, and statistics are fp32") {
  OperationGraph graph = small_graph();
  graph.tensors[2].is_virtual = false;
  CHECK_NOTHROW(verify(graph));
  graph.nodes[1] = {GraphOp::statistics, {2}, {3, 4}};
  graph.tensors[3] = {{1, 1, 1, 1}, Format::fp32, false};
  graph.tensors.push_back(graph.tensors[3]);
  CHECK_NOTHROW(verify(graph));
  graph.tensors[4].format = Format::fp16;
  CHECK_THROWS_WITH(verify(graph), ContainsSubstring("fp32"));
}

TEST_CASE("a graph's elements follow from those that are known") {
  const OperationGraph graph = small_graph();
  CHECK(graph_element(graph, 3, 0, {{0, constant(3)}, {1, constant(0.5)}}) == 3);    // 2 channels x 3 x 0.5
  CHECK(graph_element(graph, 3, 0, {{0, constant(3)}, {1, constant(-0.5)}}) == 0);   // behind the ReLU
  CHECK(graph_element(graph, 2, 0, {{0, constant(3)}, {1, constant(-0.5)}}) == -3);  // in front of it
  CHECK(graph_element(graph, 3, 0, {{2, constant(7)}}) == 7);
  CHECK_THROWS_AS(graph_element(graph, 3, 0, {{0, constant(3)}}), std::logic_error);
}

TEST_CASE("statistics sum every position of every image") {
  const ImageWindows windows{2, 1, 3, 5, 2, 1, 1, 1, 1, 1, false};
  const OperationGraph graph = fused_convolution("conv_statistics", windows, Precision::fp32).graph;
  // Image 2 everywhere; the weights of the two outputs are 1 and -3.
  const TensorValues known{{0, constant(2)}, {1, [](std::int64_t i) { return i == 0 ? 1.0 : -3.0; }}};
  CHECK(graph_element(graph, 3, 0, known) == 2.0 * 30);
  CHECK(graph_element(graph, 3, 1, known) == -6.0 * 30);
  CHECK(graph_element(graph, 4, 1, known) == 36.0 * 30);
  CHECK(graph_depth(graph, 3) == 30);
  CHECK(graph_depth(graph, 2) == 1);
}

}  // namespace mlsim::kernels::cuda
