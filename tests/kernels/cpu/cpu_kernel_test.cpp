#include "kernels/cpu/cpu_kernel.hpp"

#include <set>
#include <string>
#include <vector>

#include "calibrate/measure.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"

namespace mlsim::test {
namespace {

// Shapes that a training step of CNNs has, and those with an odd corner: strides, one-sided windows, groups, channels
// that fill no block, vectors, several products, elements beside.
const std::vector<std::string>& keys() {
  static const std::vector<std::string> all{"conv_forward fp32 2 3 9 9 16 3 1",
                                            "conv_forward fp32 2 16 8 8 32 3 2",
                                            "conv_forward fp32 2 16 8 8 20 1 2",
                                            "conv_forward fp32 2 16 9 7 16 1 1 7",
                                            "conv_forward fp32 2 32 8 8 32 3 1 0 0 4",
                                            "conv_forward fp32 2 16 8 8 16 3 1 0 0 0 4096",
                                            "conv_input_gradient fp32 2 16 8 8 32 3 2",
                                            "conv_input_gradient fp32 2 16 9 7 20 1 2",
                                            "conv_input_gradient fp32 2 32 8 8 32 3 1 0 0 4",
                                            "conv_weight_gradient fp32 2 3 9 9 16 3 1",
                                            "conv_weight_gradient fp32 2 16 8 8 32 3 2",
                                            "conv_weight_gradient fp32 2 32 8 8 32 3 1 0 0 32",
                                            "dense_forward fp32 7 19 5",
                                            "dense_forward fp32 128 2000 1",
                                            "dense_forward fp32 1 300 200",
                                            "dense_forward fp32 8 16 4 6",
                                            "dense_input_gradient fp32 7 19 5",
                                            "dense_weight_gradient fp32 7 19 5",
                                            "dense_weight_gradient fp32 128 2000 1",
                                            "matmul fp32 150 130 170",
                                            "matmul fp32 130 190 150",
                                            "matmul fp32 12 9 7 5 100",
                                            "batch_norm_forward fp32 512 16",
                                            "batch_norm_forward fp32 500 20 10000",
                                            "batch_norm_backward fp32 512 16",
                                            "batch_norm_backward fp32 500 20",
                                            "layer_norm_forward fp32 30 37",
                                            "layer_norm_backward fp32 30 37",
                                            "max_pool_forward fp32 2 16 9 9 3 2",
                                            "max_pool_backward fp32 2 16 9 9 3 2",
                                            "average_pool_forward fp32 2 24 8 8 8 8",
                                            "average_pool_backward fp32 2 24 8 8 2 2",
                                            "softmax_loss_forward fp32 20 37",
                                            "softmax_loss_backward fp32 20 37",
                                            "sigmoid_loss_forward fp32 100",
                                            "sigmoid_loss_backward fp32 10000",
                                            "elementwise fp32 30000 10000",
                                            "elementwise fp32 25000 10000",
                                            "elementwise fp32 100 30000",
                                            "elementwise fp32 0 5000",
                                            "elementwise fp32 50000 100",
                                            "elementwise fp32 5000",
                                            "elementwise fp32 30000 10000 4",
                                            "gather fp32 50 24 30",
                                            "scatter_add fp32 50 24 30",
                                            "scatter_add fp32 50 24",
                                            "optimizer fp32 5000 7 8",
                                            "optimizer fp32 5000 7 12",
                                            "optimizer fp32 5000 7 20",
                                            "optimizer fp32 5000 7 20 nesterov",
                                            "optimizer fp32 5000 7 20 averaged_sgd",
                                            "optimizer fp32 5000 7 20 adagrad",
                                            "optimizer fp32 5000 7 28",
                                            "optimizer fp32 5000 7 32",
                                            "optimizer fp32 5000 7 44",
                                            "optimizer fp32 5000 7 80 56"};
  return all;
}

bool has_kernels() { return !cpu_versions().empty(); }

TEST_CASE("every kernel of a processor agrees with float64, one thread or all") {
  if (!has_kernels()) return;
  for (const auto& key : keys()) {
    for (const int threads : {1, 0}) {
      INFO(key << " on " << threads << " threads");
      CHECK(cpu_kernel(parse_kernel_key(key), threads)->largest_error() < error_tolerance(Precision::fp32));
    }
  }
}

TEST_CASE("a kernel of a processor agrees with float64 still after it was sampled") {
  if (!has_kernels()) return;
  for (const auto& key : keys()) {
    INFO(key);
    const auto kernel = cpu_kernel(parse_kernel_key(key), 0);
    CHECK(kernel->sample(Cache::hot) > Seconds(0));
    CHECK(kernel->largest_error() < error_tolerance(Precision::fp32));
  }
}

TEST_CASE("a cold sample is a time, too") {
  if (!has_kernels()) return;
  CHECK(cpu_kernel(parse_kernel_key("matmul fp32 64 64 64"), 0)->sample(Cache::cold) > Seconds(0));
}

TEST_CASE("a kernel that reads the batch runs on a fresh one and still agrees with float64; others have no batch") {
  if (!has_kernels()) return;
  for (const char* text : {"dense_forward fp32 33 70 9", "conv_forward fp32 2 3 8 8 4 3 1"}) {
    CAPTURE(text);
    const auto kernel = cpu_kernel(parse_kernel_key(text), 0);
    CHECK(kernel->sample(Cache::fresh) > Seconds(0));
    CHECK(kernel->largest_error() < error_tolerance(Precision::fp32));
  }
  CHECK_THROWS_AS(cpu_kernel(parse_kernel_key("dense_weight_gradient fp32 33 70 9"), 0)->sample(Cache::fresh),
                  Unavailable);
}

TEST_CASE("a kernel of oneDNN names its implementation, which is no reference whatever the vector unit of an x86-64") {
  if (!has_kernels()) return;
  for (const auto& key : keys()) {
    CAPTURE(key);
    const auto implementation = cpu_kernel(parse_kernel_key(key), 0)->implementation();
    CHECK(implementation.has_value() == (key.starts_with("conv_") || key.find("pool_") != std::string::npos));
#ifdef __x86_64__
    CHECK_FALSE(is_reference(implementation));
#endif
  }
}

TEST_CASE("what a processor has no kernel for says so") {
  CHECK_THROWS_AS(cpu_kernel(parse_kernel_key("dense_forward bf16 4 4 4"), 0), Unavailable);
  CHECK_THROWS_AS(cpu_kernel(parse_kernel_key("lstm_forward fp32 4 4 4"), 0), Unavailable);
  CHECK_THROWS_AS(cpu_kernel(parse_kernel_key("roi_align_backward fp32 4 4 4 4"), 0), Unavailable);
}

TEST_CASE("a kernel without a dimension, or on too many threads, is wrong input") {
  if (!has_kernels()) return;
  CHECK_THROWS_AS(cpu_kernel(parse_kernel_key("dense_forward fp32 4 4"), 0), InputError);
  CHECK_THROWS_AS(cpu_kernel(parse_kernel_key("elementwise fp32 4 4"), 1 << 20), InputError);
  CHECK_THROWS_AS(cpu_kernel(parse_kernel_key("elementwise fp32 4 4"), -1), InputError);
}

}  // namespace
}  // namespace mlsim::test
