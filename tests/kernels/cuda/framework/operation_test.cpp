// Every operation of our own, fused and unfused, run on the host as the device would run it, against its reference.
#include "kernels/cuda/framework/operation.hpp"

#include "catch.hpp"
#include "kernels/cuda/operations/update_operations.hpp"
#include "tests/kernels/cuda/operations/host_executor.hpp"

namespace mlsim::kernels::cuda {
namespace {

// A few roundings of the format: 2^-24, 2^-11 and 2^-8 each.
double tolerance(Precision precision) {
  if (precision == Precision::fp16) return 4e-3;
  return precision == Precision::fp32 ? 2e-6 : 2e-2;
}

void check_twins(const std::string& kind, const std::vector<std::int64_t>& sizes) {
  for (const Precision precision : {Precision::fp32, Precision::fp16, Precision::bf16}) {
    for (const bool fused : {true, false}) {
      INFO(kind << (fused ? " fused " : " unfused ") << name(precision) << " " << sizes[0]);
      CHECK(host_error({kind, fused, precision, sizes}) < tolerance(precision));
    }
  }
}

void check_alone(const std::string& kind, const std::vector<std::int64_t>& sizes) {
  for (const Precision precision : {Precision::fp32, Precision::fp16, Precision::bf16}) {
    INFO(kind << " " << name(precision) << " " << sizes[0]);
    CHECK(host_error({kind, true, precision, sizes}) < tolerance(precision));
  }
}

}  // namespace

TEST_CASE("bias and activation are right with and without whole vectors") {
  for (const char* kind : {"bias_relu", "bias_gelu"}) {
    check_twins(kind, {7, 24});
    check_twins(kind, {33, 23});
  }
}

TEST_CASE("GELU, casts and the second pass of a normalisation are right") {
  check_twins("gelu", {5001});
  check_twins("cast_scale", {3001});
  check_twins("norm_relu_add", {33, 48});
  check_twins("norm_relu_add", {5, 7});
}

TEST_CASE("a ReLU's gradient and the sums of channels are right") {
  check_alone("relu_gradient", {5001});
  for (const std::int64_t channels : {7, 64, 2500}) check_alone("channel_statistics", {50, channels});
}

TEST_CASE("a stream reads and writes each of its elements once") {
  check_alone("stream", {25000, 10000, 0});
  check_alone("stream", {1000, 2507, 3});
  check_alone("stream", {1000, 0, 1});
  check_alone("stream", {0, 100, 1});
}

TEST_CASE("attention's softmax is right for rows in a warp, in a block and too long for registers") {
  for (const std::int64_t keys : {5, 77, 128, 4096, 17001}) check_twins("attention_softmax", {5, keys});
}

TEST_CASE("softmax with cross entropy is right, loss and gradient") {
  for (const std::int64_t classes : {10, 1000, 30528}) check_twins("softmax_cross_entropy", {5, classes});
  check_alone("softmax_loss_forward", {4, 1000});
  check_alone("softmax_loss_backward", {4, 1000});
  check_alone("sigmoid_loss_forward", {1003});
  check_alone("sigmoid_loss_backward", {1003});
}

TEST_CASE("layer normalisation is right, alone and behind dropout and a residual") {
  check_alone("layer_norm_forward", {9, 64});
  check_alone("layer_norm_forward", {9, 64, 9 * 64});
  check_alone("layer_norm_forward", {3, 1001});
  check_twins("dropout_add_layer_norm", {9, 1024});
  check_twins("dropout_add_layer_norm", {3, 771});
}

TEST_CASE("a layer normalisation's gradients add up over the rows of all threads") {
  for (const std::int64_t channels : {33, 64, 768, 20000}) check_alone("layer_norm_backward", {50, channels});
}

TEST_CASE("a logistic regression's step is right") {
  check_twins("logistic_regression", {40, 100});
  check_twins("logistic_regression", {10, 5001});
}

TEST_CASE("rows of tables are gathered and added to") {
  check_twins("embedding_gather", {1100, 64, 1000});
  check_twins("embedding_update", {300, 64, 1000});
  check_alone("gather", {100, 64, 1000});
  check_alone("scatter_add", {100, 6, 0});
  check_alone("scatter_add", {100, 64, 1000});
}

TEST_CASE("updates of many tensors are right, at once and tensor by tensor") {
  for (const char* kind :
       {"sgd", "momentum", "nesterov", "averaged_sgd", "adagrad", "lars", "adam", "lamb", "clip_gradient"}) {
    for (const bool fused : {true, false}) {
      INFO(kind << " " << fused);
      CHECK(host_error({kind, fused, Precision::fp32, {20011, 7}}) < 2e-6);
    }
  }
  for (const char* kind : {"update_norms", "lamb_step", "lamb_apply"}) {
    CHECK(host_error({kind, true, Precision::fp32, {20011, 7}}) < 2e-6);
  }
}

TEST_CASE("fused operations launch once, their twins once a step") {
  CHECK(host_launches({"bias_gelu", true, Precision::fp16, {8, 64}}) == 1);
  CHECK(host_launches({"bias_gelu", false, Precision::fp16, {8, 64}}) == 2);
  CHECK(host_launches({"gelu", false, Precision::fp16, {64}}) == 5);
  CHECK(host_launches({"norm_relu_add", false, Precision::fp16, {8, 64}}) == 3);
  CHECK(host_launches({"adam", true, Precision::fp32, {20011, 7}}) == 1);
  CHECK(host_launches({"adam", false, Precision::fp32, {20011, 7}}) == 7 * 8);
  CHECK(host_launches({"momentum", false, Precision::fp32, {20011, 7}}) == 7 * 4);
}

TEST_CASE("a fused operation moves less than its twin") {
  for (const char* kind : {"bias_relu", "norm_relu_add", "attention_softmax", "softmax_cross_entropy",
                           "dropout_add_layer_norm", "logistic_regression"}) {
    const Bytes fused = host_bytes({kind, true, Precision::fp16, {64, 256}});
    CHECK(fused < host_bytes({kind, false, Precision::fp16, {64, 256}}));
  }
  CHECK(host_bytes({"bias_relu", true, Precision::fp32, {10, 8}}) == Bytes(4.0 * (2 * 80 + 8)));
  CHECK(host_bytes({"adam", true, Precision::fp32, {1000, 2}}) == Bytes(28000));
}

TEST_CASE("a check runs on fewer rows of the same length") {
  const OperationName large{"softmax_cross_entropy", true, Precision::fp16, {65536, 1000}};
  CHECK(reduced(large).sizes == std::vector<std::int64_t>{2100, 1000});
  const OperationName small{"softmax_cross_entropy", true, Precision::fp16, {16, 1000}};
  CHECK(reduced(small) == small);
  CHECK(reduced({"adam", true, Precision::fp32, {25557032, 161}}).sizes[1] == 161);
}

TEST_CASE("the largest difference is relative to the largest element and infinite for what is no number") {
  CHECK(largest_difference({1, 4.5}, {1, 4}) == Approx(0.125));
  CHECK(std::isinf(largest_difference({NAN, 4}, {1, 4})));
  CHECK(largest_difference({0, 0}, {0, 0}) == 0);
}

}  // namespace mlsim::kernels::cuda
