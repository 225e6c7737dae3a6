#include "kernels/cuda/cudnn/image_windows.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"

namespace mlsim::kernels::cuda {
namespace {

ElementAt of_list(const std::vector<double>& list) {
  return [&list](std::int64_t i) { return list.at(i); };
}

std::vector<double> some_numbers(std::int64_t count, int seed) {
  return input_values({Format::fp32, count, -1, 1, false, {}}, seed);
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b.at(i);
  return sum;
}

std::vector<double> all(const ImageWindows& shape, Direction direction, std::int64_t count,
                        const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<double> elements;
  for (std::int64_t i = 0; i < count; ++i) {
    elements.push_back(convolution_element(shape, direction, i, of_list(first), of_list(second)));
  }
  return elements;
}

}  // namespace

TEST_CASE("a key's convolution has the extents of its layer") {
  const ImageWindows stem =
      convolution_of({KernelOp::conv_forward, Precision::fp16, ConvolutionShape{64, 3, 224, 224, 64, 7, 2}});
  CHECK((stem.out_h() == 112 && stem.padding_h() == 3 && stem.kernel_w == 7 && stem.stride_w == 2));
  CHECK(convolution_flop(stem) == Flop(2.0 * 64 * 112 * 112 * 64 * 3 * 49));
  const ImageWindows wide =
      convolution_of({KernelOp::conv_forward, Precision::fp16, ConvolutionShape{1, 8, 17, 17, 8, 1, 1, 7, 1, 2}});
  CHECK((wide.kernel_h == 1 && wide.kernel_w == 7 && wide.out_w() == 17 && wide.group_channels() == 4));
  // A valid 7 x 7 window on 7 x 7 pixels is named by one pixel.
  CHECK(convolution_of({KernelOp::conv_forward, Precision::fp16, ConvolutionShape{1, 8, 1, 1, 8, 7, 1}}).out_h() == 1);
}

TEST_CASE("groups that do not divide the channels and empty windows are refused") {
  CHECK_THROWS_AS(
      convolution_of({KernelOp::conv_forward, Precision::fp32, ConvolutionShape{1, 8, 9, 9, 8, 3, 1, 3, 1, 3}}),
      Unavailable);
  CHECK_THROWS_AS(convolution_of({KernelOp::conv_forward, Precision::fp32, ConvolutionShape{1, 8, 9, 9, 8, 0, 1}}),
                  Unavailable);
}

TEST_CASE("a convolution of ones counts the pixels under its window") {
  const ImageWindows shape =
      convolution_of({KernelOp::conv_forward, Precision::fp32, ConvolutionShape{1, 1, 3, 3, 1, 3, 1}});
  const std::vector<double> ones(9, 1);
  CHECK(all(shape, Direction::forward, 9, ones, ones) == std::vector<double>{4, 6, 4, 6, 9, 6, 4, 6, 4});
}

// <dy, conv(x, w)> = <conv_input_gradient(dy, w), x> = <conv_weight_gradient(x, dy), w>.
TEST_CASE("both gradients are the convolution's adjoints, with strides and groups") {
  for (const std::int64_t groups : {1, 2}) {
    for (const std::int64_t stride : {1, 2}) {
      const ImageWindows shape = convolution_of(
          {KernelOp::conv_forward, Precision::fp32, ConvolutionShape{2, 4, 7, 6, 6, 3, stride, 1, stride, groups}});
      const auto x = some_numbers(shape.input_elements(), 0), w = some_numbers(shape.weight_elements(), 1);
      const auto dy = some_numbers(shape.output_elements(), 2);
      const double forward = dot(dy, all(shape, Direction::forward, shape.output_elements(), x, w));
      CHECK(dot(x, all(shape, Direction::input_gradient, shape.input_elements(), dy, w)) == Approx(forward));
      CHECK(dot(w, all(shape, Direction::weight_gradient, shape.weight_elements(), x, dy)) == Approx(forward));
    }
  }
}

TEST_CASE("a pool takes the largest or the mean of the pixels that are there") {
  const ImageWindows shape = pool_of({KernelOp::max_pool_forward, Precision::fp32, PoolShape{1, 1, 3, 3, 3, 2}});
  const std::vector<double> x{1, 2, 3, 4, 5, 6, 7, 8, 9};
  // 3 x 3 is as large as the image: one window, no padding.
  CHECK(shape.output_elements() == 1);
  CHECK(pool_element(shape, false, 0, of_list(x)) == 9);
  CHECK(pool_element(shape, true, 0, of_list(x)) == 5);
  const ImageWindows padded = pool_of({KernelOp::max_pool_forward, Precision::fp32, PoolShape{1, 1, 4, 4, 3, 2}});
  CHECK((padded.out_h() == 2 && padded.padding_h() == 1));
  std::vector<double> y(16);
  for (std::size_t i = 0; i < 16; ++i) y[i] = double(i);
  CHECK(pool_element(padded, false, 0, of_list(y)) == 5);
  CHECK(pool_element(padded, true, 0, of_list(y)) == 2.5);  // of 0, 1, 4, 5
}

TEST_CASE("a pool's gradient goes where its value came from") {
  const ImageWindows shape = pool_of({KernelOp::max_pool_backward, Precision::fp32, PoolShape{1, 1, 4, 4, 2, 2}});
  const std::vector<double> x{1, 2, 3, 4, 8, 7, 6, 5, 1, 2, 3, 4, 8, 7, 6, 5}, dy{10, 20, 30, 40};
  CHECK(pool_gradient_element(shape, false, 4, of_list(x), of_list(dy)) == 10);
  CHECK(pool_gradient_element(shape, false, 0, of_list(x), of_list(dy)) == 0);
  CHECK(pool_gradient_element(shape, true, 0, of_list(x), of_list(dy)) == 2.5);
}

}  // namespace mlsim::kernels::cuda
