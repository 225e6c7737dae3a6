#include "kernels/cuda/operations/product_layout.hpp"

#include "catch.hpp"

namespace mlsim::kernels::cuda {

TEST_CASE("a layer's three products lie as its tensors do") {
  const auto key = [](KernelOp op) { return KernelKey{op, Precision::fp32, DenseShape{64, 30, 10}}; };
  CHECK(product_of(key(KernelOp::dense_forward)) ==
        ProductLayout{64, 10, 30, 1, false, true, Precision::fp32, Epilogue::none});
  CHECK(product_of(key(KernelOp::dense_input_gradient)) ==
        ProductLayout{64, 30, 10, 1, false, false, Precision::fp32, Epilogue::none});
  CHECK(product_of(key(KernelOp::dense_weight_gradient)) ==
        ProductLayout{10, 30, 64, 1, true, false, Precision::fp32, Epilogue::none});
}

TEST_CASE("equal products lie one behind the other") {
  const ProductLayout shape = product_of({KernelOp::matmul, Precision::fp16, ProductShape{3, 5, 7, 4}});
  CHECK(shape.count == 4);
  CHECK(shape.flop() == Flop(2.0 * 3 * 5 * 7 * 4));
  CHECK(shape.bytes() == Bytes(2.0 * 4 * (3 * 7 + 7 * 5 + 3 * 5)));
  CHECK(shape.a_index(2, 1, 3) == 2 * 21 + 1 * 7 + 3);
  CHECK(shape.b_index(2, 3, 1) == 2 * 35 + 3 * 5 + 1);
}

TEST_CASE("transposed operands swap their strides") {
  const ProductLayout shape{3, 5, 7, 1, true, true, Precision::fp32, Epilogue::none};
  CHECK(shape.a_index(0, 1, 3) == 3 * 3 + 1);
  CHECK(shape.b_index(0, 3, 1) == 1 * 7 + 3);
}

TEST_CASE("fp8 products take both operands along k") {
  const ProductLayout shape = product_of({KernelOp::dense_weight_gradient, Precision::fp8, DenseShape{64, 32, 16}});
  CHECK_FALSE(shape.a_transposed);
  CHECK(shape.b_transposed);
  CHECK(shape.bytes() == Bytes(64.0 * (16 + 32) + 2.0 * 16 * 32));
}

TEST_CASE("an element of a product is a sum over the inputs, with its epilogue") {
  const ProductLayout shape{2, 2, 3, 1, false, false, Precision::fp32, Epilogue::bias_relu};
  const Array a{Format::fp32, 6, -1, 1, false, {}}, b{Format::fp32, 6, -1, 1, false, {}};
  const auto x = input_values(a, 0), y = input_values(b, 1);
  const double sum = x[3] * y[1] + x[4] * y[3] + x[5] * y[5];
  CHECK(product_element(shape, 0, 1, 1, a, 0, b, 1, 10) == Approx(sum + 10));
  CHECK(product_element(shape, 0, 1, 1, a, 0, b, 1, -10) == 0);
}

TEST_CASE("elements to compare are spread from the first to the last") {
  CHECK(spread_indices(10, 4) == std::vector<std::int64_t>{0, 3, 6, 9});
  CHECK(spread_indices(3, 100) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(spread_indices(5, 1) == std::vector<std::int64_t>{0});
  CHECK(checked_count(1e9) == 8);
  CHECK(checked_count(1) == 256);
}

}  // namespace mlsim::kernels::cuda
