#include <algorithm>
#include <cmath>

#include "kernels/cpu/fused/logistic.hpp"
#include "kernels/cpu/fused/rows.hpp"
#include "kernels/cpu/kernel_operations.hpp"
#include "kernels/cpu/reference/loss_reference.hpp"

namespace mlsim::kernels {
namespace {

CpuOperation with_work(const KernelKey& key, std::function<void()> run, std::function<double()> error) {
  const KernelWork work = costs::kernel_work(key);
  return {std::move(run), std::move(error), work.bytes, work.flop};
}

}  // namespace

CpuOperation softmax_operation(const KernelKey& key, int threads) {
  const bool backward = key.op == KernelOp::softmax_loss_backward;
  const auto& [rows, classes] = shape_of<LossShape>(key);
  const RowShape shape{rows, classes, threads};
  const auto operands = std::make_shared<SoftmaxLossOperands>(random_softmax_operands(shape));
  softmax_loss(shape, *operands);
  const auto run = [=] { backward ? softmax_loss_gradient(shape, *operands) : softmax_loss(shape, *operands); };
  return with_work(key, run, [=] {
    run();
    return softmax_error(shape, *operands, backward);
  });
}

CpuOperation sigmoid_operation(const KernelKey& key, int threads) {
  struct Operands {
    Buffer logits, labels, result;
  };
  const bool backward = key.op == KernelOp::sigmoid_loss_backward;
  const auto& [rows, classes] = shape_of<LossShape>(key);
  const std::int64_t count = rows * classes;
  const auto o = std::make_shared<Operands>(
      Operands{random_buffer(count, 1, -3, 3), random_buffer(count, 2, 0, 1), Buffer(count)});
  const auto run = [=] {
    (backward ? sigmoid_loss_gradient : sigmoid_loss)(o->logits.data(), o->labels.data(), count, o->result.data(),
                                                      threads);
  };
  return with_work(key, run, [=] {
    run();
    ErrorMeter meter;
    for (std::int64_t i = 0; i < count; ++i) {
      const double logit = double(o->logits[i]), label = double(o->labels[i]), p = 1 / (1 + std::exp(-logit));
      const double loss = -label * std::log(p) - (1 - label) * std::log(1 - p);
      meter.compare(double(o->result[i]), backward ? (p - label) / double(count) : loss);
    }
    return meter.largest();
  });
}

}  // namespace mlsim::kernels
