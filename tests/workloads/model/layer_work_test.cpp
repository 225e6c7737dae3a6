#include "workloads/model/layer_work.hpp"

#include <set>
#include <tuple>
#include <utility>

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

Layer convolution(Shape input, int outputs, int kernel, int stride, int padding) {
  Layer layer;
  layer.input = input;
  layer.kernel = {kernel, kernel};
  layer.stride = {stride, stride};
  layer.padding = {padding, padding};
  layer.output = {outputs, (input.height + 2 * padding - kernel) / stride + 1,
                  (input.width + 2 * padding - kernel) / stride + 1};
  return layer;
}

Layer grouped(Shape input, int outputs, int groups) {
  Layer layer = convolution(input, outputs, 3, 1, 1);
  layer.groups = groups;
  return layer;
}

Layer rectangular(Shape input, int outputs, Extent kernel) {
  Layer layer = convolution(input, outputs, 1, 1, 0);
  layer.kernel = kernel;
  layer.output = {outputs, input.height - kernel.height + 1, input.width - kernel.width + 1};
  return layer;
}

Layer dense(Shape input, int outputs, bool bias) {
  Layer layer;
  layer.kind = LayerKind::dense;
  layer.input = input;
  layer.output = {outputs, input.height, input.width};
  layer.bias = bias;
  return layer;
}

KernelWork matrix_work(const Layer& layer, Pass pass, double batch, Precision precision) {
  const auto work = layer.kind == LayerKind::dense ? dense_work : convolution_work;
  const Kernels kernels = work(layer, pass, batch, precision, FusionRole::leads);
  REQUIRE(kernels.size() == 1);
  return kernels.front();
}

// What a direct convolution does, by the loops of its definition.
struct Counted {
  double macs = 0;  // taps on the padding included
  double inputs = 0, outputs = 0, weights = 0;
};
Counted count_by_loops(const Layer& layer, int batch) {
  Counted counted;
  std::set<std::tuple<int, int, int, int>> inputs, outputs, weights;
  const auto in_image = [&](int y, int x) {
    return y >= 0 && x >= 0 && y < layer.input.height && x < layer.input.width;
  };
  for (int b = 0; b < batch; ++b) {
    for (int o = 0; o < layer.output.channels; ++o) {
      for (int y = 0; y < layer.output.height; ++y) {
        for (int x = 0; x < layer.output.width; ++x) {
          outputs.insert({b, o, y, x});
          const int group = o / (layer.output.channels / layer.groups);
          const int first = group * (layer.input.channels / layer.groups);
          for (int c = first; c < first + layer.input.channels / layer.groups; ++c) {
            for (int i = 0; i < layer.kernel.height; ++i) {
              for (int j = 0; j < layer.kernel.width; ++j) {
                const int row = y * layer.stride.height - layer.padding.height + i;
                const int column = x * layer.stride.width - layer.padding.width + j;
                ++counted.macs;
                weights.insert({o, c, i, j});
                if (in_image(row, column)) inputs.insert({b, c, row, column});
              }
            }
          }
        }
      }
    }
  }
  counted.inputs = double(inputs.size());
  counted.outputs = double(outputs.size());
  counted.weights = double(weights.size());
  return counted;
}

}  // namespace

TEST_CASE("FLOP and bytes of a convolution are what its loops count") {
  const Layer layers[] = {
      convolution({3, 9, 7}, 4, 3, 1, 1),
      convolution({3, 9, 7}, 4, 3, 2, 1),
      convolution({2, 8, 8}, 5, 1, 2, 0),
      convolution({2, 7, 7}, 5, 1, 2, 0),
      convolution({2, 9, 9}, 3, 5, 1, 2),
      convolution({3, 14, 14}, 2, 7, 2, 3),
      convolution({2, 11, 11}, 3, 3, 2, 0),
      convolution({2, 10, 10}, 3, 2, 3, 0),
      convolution({1, 5, 5}, 1, 5, 1, 0),
      grouped({6, 8, 8}, 4, 2),
      grouped({6, 8, 8}, 6, 6),
      rectangular({3, 9, 9}, 4, {1, 7}),
      rectangular({3, 9, 7}, 4, {5, 2}),
  };
  const int batch = 2;
  for (const Layer& layer : layers) {
    INFO("kernel " << layer.kernel.height << " x " << layer.kernel.width << " stride " << layer.stride.height
                   << " groups " << layer.groups << " input " << layer.input.height);
    const Counted counted = count_by_loops(layer, batch);
    const double touched = counted.inputs + counted.outputs + counted.weights;
    const auto forward = matrix_work(layer, Pass::forward, batch, Precision::fp32);
    const auto weight = matrix_work(layer, Pass::weight_gradient, batch, Precision::fp32);
    const auto input = matrix_work(layer, Pass::input_gradient, batch, Precision::fp32);
    for (const auto& work : {forward, weight, input}) CHECK(work.flop.value == 2 * counted.macs);
    CHECK(forward.bytes.value == 4 * touched);
    CHECK(weight.bytes.value == 4 * touched);
    // The gradient of pixels that no window touches is written too, as zero.
    const double all_inputs = batch * double(layer.input.elements());
    CHECK(input.bytes.value == 4 * (all_inputs + counted.outputs + counted.weights));
    CHECK(matrix_work(layer, Pass::forward, batch, Precision::bf16).bytes.value == 2 * touched);
  }
}

TEST_CASE("the matrix products of a convolution multiply as often as its loops") {
  const Layer layer = convolution({3, 8, 12}, 5, 3, 2, 1);
  const Counted counted = count_by_loops(layer, 2);
  const auto gemm = [&](Pass pass) { return matrix_work(layer, pass, 2, Precision::fp32).gemm; };
  CHECK(gemm(Pass::forward) == GemmShape{2 * 4 * 6, 5, 27});
  CHECK(gemm(Pass::input_gradient) == GemmShape{2 * 8 * 12 / 4, 3, 45});
  CHECK(gemm(Pass::weight_gradient) == GemmShape{27, 5, 2 * 4 * 6});
  for (const Pass pass : {Pass::forward, Pass::input_gradient, Pass::weight_gradient}) {
    CHECK(gemm(pass).m * gemm(pass).n * gemm(pass).k == counted.macs);
  }
}

TEST_CASE("each group of a convolution is a product of its own, a depthwise one has none") {
  const Layer layer = grouped({6, 8, 8}, 4, 2);
  const auto forward = matrix_work(layer, Pass::forward, 3, Precision::fp32);
  CHECK(forward.gemm == GemmShape{3 * 64, 2, 27});
  CHECK(forward.products == 2);
  CHECK(2 * forward.gemm.m * forward.gemm.n * forward.gemm.k * forward.products == forward.flop.value);
  CHECK(to_text(forward.key) == "conv_forward fp32 3 6 8 8 4 3 1 0 0 2");
  CHECK(matrix_work(grouped({6, 8, 8}, 6, 6), Pass::forward, 3, Precision::fp32).gemm == GemmShape{});
  const auto flat = matrix_work(rectangular({3, 9, 9}, 4, {1, 7}), Pass::forward, 1, Precision::fp32);
  CHECK(to_text(flat.key) == "conv_forward fp32 1 3 9 3 4 1 1 7");  // 3 columns give 3 with the usual padding
}

TEST_CASE("a transposed convolution is a convolution run backwards") {
  const Layer mirror = convolution({5, 8, 8}, 3, 2, 2, 0);
  Layer layer = mirror;
  layer.kind = LayerKind::transposed_convolution;
  std::swap(layer.input, layer.output);
  const Pass swapped[][2] = {{Pass::forward, Pass::input_gradient},
                             {Pass::input_gradient, Pass::forward},
                             {Pass::weight_gradient, Pass::weight_gradient}};
  for (const auto& [pass, of_mirror] : swapped) {
    const auto work = matrix_work(layer, pass, 2, Precision::fp32);
    const auto same = matrix_work(mirror, of_mirror, 2, Precision::fp32);
    CHECK(work.key == same.key);
    CHECK(work.bytes == same.bytes);
    CHECK(work.flop.value == 2.0 * 2 * (4 * 4 * 3) * (2 * 2 * 5));  // every input meets every tap and output channel
  }
}

TEST_CASE("a dense layer multiplies every position with its weights") {
  const Layer layer = dense({16, 2, 1}, 10, true);
  const auto forward = matrix_work(layer, Pass::forward, 3, Precision::fp32);
  CHECK(forward.gemm == GemmShape{6, 10, 16});
  CHECK(matrix_work(layer, Pass::input_gradient, 3, Precision::fp32).gemm == GemmShape{6, 16, 10});
  CHECK(matrix_work(layer, Pass::weight_gradient, 3, Precision::fp32).gemm == GemmShape{16, 10, 6});
  CHECK(forward.flop.value == 2 * 6 * 16 * 10);
  CHECK(forward.bytes.value == 4 * (6 * 16 + 6 * 10 + 16 * 10 + 10));
  CHECK(to_text(forward.key) == "dense_forward fp32 6 16 10");
}

TEST_CASE("equal shapes have equal keys, whatever the layer is called") {
  Layer a = convolution({64, 56, 56}, 64, 3, 1, 1), b = a;
  a.name = "stage1.block0.conv2";
  b.name = "stage1.block1.conv2";
  CHECK(matrix_work(a, Pass::forward, 32, Precision::fp16).key ==
        matrix_work(b, Pass::forward, 32, Precision::fp16).key);
  CHECK(to_text(matrix_work(a, Pass::forward, 32, Precision::fp16).key) == "conv_forward fp16 32 64 56 56 64 3 1");
  CHECK(to_text(matrix_work(a, Pass::forward, 0.5, Precision::fp16).key) == "conv_forward fp16 1 64 56 56 64 3 1");
  CHECK(matrix_work(a, Pass::forward, 32, Precision::fp16).key !=
        matrix_work(a, Pass::weight_gradient, 32, Precision::fp16).key);
}

TEST_CASE("the key of an unpadded convolution gives the same output under the usual padding") {
  const Layer valid = convolution({3, 227, 227}, 64, 11, 4, 0);
  const auto key = matrix_work(valid, Pass::forward, 1, Precision::fp32).key;
  const auto& shape = shape_of<ConvolutionShape>(key);
  const Layer usual = convolution({3, static_cast<int>(shape.height), static_cast<int>(shape.width)}, 64, 11, 4, 5);
  CHECK(usual.output == valid.output);
}

TEST_CASE("fast fp32 convolutions are 3x3 and 5x5 of stride 1 above three channels") {
  const auto fast = [](const Layer& layer) {
    return matrix_work(layer, Pass::forward, 1, Precision::fp32).fast_fp32_convolution;
  };
  CHECK(fast(convolution({64, 56, 56}, 64, 3, 1, 1)));
  CHECK(fast(convolution({64, 56, 56}, 64, 5, 1, 2)));
  CHECK_FALSE(fast(convolution({64, 56, 56}, 64, 3, 2, 1)));
  CHECK_FALSE(fast(convolution({64, 56, 56}, 64, 1, 1, 0)));
  CHECK_FALSE(fast(convolution({3, 56, 56}, 64, 3, 1, 1)));
  CHECK_FALSE(fast(dense({64, 1, 1}, 10, false)));
}
