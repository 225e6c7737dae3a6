#include "kernels/cuda/operations/product_layout.hpp"

#include <algorithm>

#include "kernels/cuda/operations/activation.hpp"

namespace mlsim::kernels::cuda {

Format operand_format(Precision precision) {
  return precision == Precision::fp8 ? Format::fp8 : storage_format(precision);
}

Flop ProductLayout::flop() const { return Flop(2.0 * double(m) * double(n) * double(k) * double(count)); }

Bytes ProductLayout::bytes() const {
  const double operands = double(m) * double(k) + double(k) * double(n), result = double(m) * double(n);
  return Bytes(double(count) * (operands * double(size_of(operand_format(precision))) +
                                result * double(size_of(storage_format(precision)))));
}

std::int64_t ProductLayout::a_index(std::int64_t product, std::int64_t row, std::int64_t depth) const {
  return product * m * k + (a_transposed ? depth * m + row : row * k + depth);
}

std::int64_t ProductLayout::b_index(std::int64_t product, std::int64_t depth, std::int64_t column) const {
  return product * k * n + (b_transposed ? column * k + depth : depth * n + column);
}

ProductLayout product_of(const KernelKey& key) {
  const auto layout = [&](std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t count, bool a, bool b) {
    const bool along_k = key.precision == Precision::fp8;
    return ProductLayout{m, n, k, count, a && !along_k, b || along_k, key.precision, Epilogue::none};
  };
  if (const auto* s = std::get_if<ProductShape>(&key.shape)) return layout(s->m, s->n, s->k, s->products, false, false);
  const auto& s = shape_of<DenseShape>(key);
  if (key.op == KernelOp::dense_forward) return layout(s.rows, s.outputs, s.inputs, s.products, false, true);
  if (key.op == KernelOp::dense_input_gradient) return layout(s.rows, s.inputs, s.outputs, s.products, false, false);
  return layout(s.outputs, s.inputs, s.rows, s.products, true, false);
}

double product_element(const ProductLayout& shape, std::int64_t product, std::int64_t row, std::int64_t column,
                       const Array& a, int a_number, const Array& b, int b_number, double bias) {
  double sum = 0;
  for (std::int64_t p = 0; p < shape.k; ++p) {
    sum += input_value(a, a_number, shape.a_index(product, row, p)) *
           input_value(b, b_number, shape.b_index(product, p, column));
  }
  if (shape.epilogue == Epilogue::bias_relu) return relu(sum + bias);
  return shape.epilogue == Epilogue::bias_gelu ? gelu(sum + bias) : sum;
}

std::int64_t checked_count(double depth) {
  constexpr double kProducts = 4e6;  // at 50 ns, most of it for two random numbers
  return static_cast<std::int64_t>(std::clamp(kProducts / std::max(1.0, depth), 8.0, 256.0));
}

std::vector<std::int64_t> spread_indices(std::int64_t end, std::int64_t count) {
  std::vector<std::int64_t> indices;
  const std::int64_t last = end - 1;
  count = std::min(count, end);
  for (std::int64_t i = 0; i < count; ++i) {
    indices.push_back(count == 1 ? 0 : static_cast<std::int64_t>(double(last) * double(i) / double(count - 1)));
  }
  return indices;
}

}  // namespace mlsim::kernels::cuda
