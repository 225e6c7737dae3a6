#include <algorithm>
#include <vector>

#include "calibrate/step/real_step.hpp"
#include "kernels/cache_size.hpp"
#include "kernels/cpu/framework/team.hpp"
#include "kernels/cpu/fused/stream.hpp"
#include "kernels/cpu/fused/update.hpp"
#include "kernels/cpu/library/matrix_product.hpp"

namespace mlsim::calibrate {
namespace {

constexpr std::int64_t kFeatures = 2000;  // features of the epsilon data set

// The training runs the step graph's kernels one by one (kernels/cpu/fused/stream.hpp has them in one). Every step
// takes the next batch of a data set that no cache holds, as of epsilon, whose labels a hidden hyperplane gives.
class LogisticTraining : public RealStep {
 public:
  LogisticTraining(std::int64_t batch, int threads)
      : shape_{batch, kFeatures, threads}, model_(kFeatures, 1, 2), logits_(batch), losses_(batch), slopes_(batch) {
    const Buffer hidden = random_buffer(kFeatures, 3);
    const std::int64_t bytes = shape_.elements() * std::int64_t(sizeof(float));
    for (std::int64_t held = 0; batches_.empty() || held < 2 * shared_cache_bytes(); held += bytes)
      add_batch(hidden, std::uint64_t(batches_.size()) + 4);
    std::fill(model_.weights.begin(), model_.weights.end(), 0.0f);
  }

  void step(KernelTally& tally) override {
    const std::int64_t rows = shape_.rows, columns = shape_.columns;
    const int threads = shape_.threads;
    const Batch& batch = batches_[next_++ % batches_.size()];
    tally.run(KernelOp::dense_forward, [&] {
      multiply({rows, 1, columns, 1, false, true, threads}, batch.features.data(), model_.weights.data(),
               logits_.data());
    });
    tally.run(KernelOp::sigmoid_loss_forward,
              [&] { sigmoid_loss(logits_.data(), batch.labels.data(), rows, losses_.data(), threads); });
    tally.run(KernelOp::sigmoid_loss_backward,
              [&] { sigmoid_loss_gradient(logits_.data(), batch.labels.data(), rows, slopes_.data(), threads); });
    tally.run(KernelOp::dense_weight_gradient, [&] {
      multiply({1, columns, rows, 1, true, false, threads}, slopes_.data(), batch.features.data(),
               model_.gradients.data());
    });
    tally.run(KernelOp::optimizer, [&] { update_fused(UpdateRule::sgd, model_, threads); });
  }

  double loss() const override {
    double sum = 0;
    for (std::int64_t i = 0; i < losses_.size(); ++i) sum += double(losses_[i]);
    return sum / double(losses_.size());
  }

 private:
  struct Batch {
    Buffer features, labels;
  };

  void add_batch(const Buffer& hidden, std::uint64_t seed) {
    Batch batch{random_buffer(shape_.elements(), seed), Buffer(shape_.rows)};
    multiply({shape_.rows, 1, kFeatures, 1, false, true, shape_.threads}, batch.features.data(), hidden.data(),
             batch.labels.data());
    for (float& label : batch.labels) label = label > 0 ? 1.0f : 0.0f;
    batches_.push_back(std::move(batch));
  }

  RowShape shape_;
  Tensors model_;
  Buffer logits_, losses_, slopes_;  // slopes: gradients of the logits
  std::vector<Batch> batches_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<RealStep> logistic_training(std::int64_t batch, int threads) {
  return std::make_unique<LogisticTraining>(batch, team_size(threads));
}

}  // namespace mlsim::calibrate
