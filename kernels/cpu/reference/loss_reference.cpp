#include "kernels/cpu/reference/loss_reference.hpp"

#include <cmath>

#include "kernels/cpu/framework/cpu_operation.hpp"

namespace mlsim::kernels {

SoftmaxLossOperands random_softmax_operands(RowShape shape) {
  SoftmaxLossOperands operands{random_buffer(shape.elements(), 1, -3, 3), Buffer(shape.elements()), Buffer(shape.rows),
                               Buffer(shape.elements()), std::make_unique<std::int32_t[]>(std::size_t(shape.rows))};
  RandomNumbers numbers(2);
  for (std::int64_t r = 0; r < shape.rows; ++r) operands.labels[r] = std::int32_t(numbers.below(shape.columns));
  return operands;
}

double softmax_error(RowShape shape, const SoftmaxLossOperands& o, bool backward) {
  ErrorMeter meter;
  for_checked(shape.rows, shape.columns, [&](std::int64_t r) {
    const float* logits = o.logits.data() + r * shape.columns;
    const std::int64_t label = o.labels[r];
    double sum = 0;
    for (std::int64_t c = 0; c < shape.columns; ++c) sum += std::exp(double(logits[c]));
    if (!backward) meter.compare(double(o.losses[r]), std::log(sum) - double(logits[label]));
    for (std::int64_t c = 0; backward && c < shape.columns; ++c) {
      const double gradient = std::exp(double(logits[c])) / sum - double(c == label);
      meter.compare(double(o.gradient[r * shape.columns + c]), gradient / double(shape.rows));
    }
  });
  return meter.largest();
}

}  // namespace mlsim::kernels
