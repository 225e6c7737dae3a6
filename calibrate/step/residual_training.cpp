#include <algorithm>
#include <array>

#include "calibrate/step/real_step.hpp"
#include "calibrate/step/residual_network.hpp"
#include "kernels/cpu/framework/team.hpp"
#include "kernels/cpu/fused/rows.hpp"
#include "kernels/cpu/library/matrix_product.hpp"
#include "kernels/cpu/library/pooling.hpp"

namespace mlsim::calibrate {
namespace {

// The network is ResNet-20 for CIFAR-10 (He et al., arXiv:1512.03385, 4.2) with projection shortcuts.
constexpr std::int64_t kExtent = 32, kColours = 3, kClasses = 10, kBlocks = 3;
constexpr std::array<std::int64_t, 3> kWidths{16, 32, 64};

WindowShape window(std::int64_t batch, std::int64_t c_in, std::int64_t extent, std::int64_t c_out, std::int64_t kernel,
                   std::int64_t stride) {
  const std::int64_t padding = (kernel - 1) / 2;
  return {batch, c_in, extent, extent, c_out, 1, {kernel, kernel, stride, stride, padding, padding}};
}

// Layers use the memory for gradients in turn, as a framework's allocator hands it out.
struct GradientMemory {
  explicit GradientMemory(std::int64_t largest)
      : of_convolution(largest),
        inside(largest),
        first{Buffer(largest), Buffer(largest)},
        second{Buffer(largest), Buffer(largest)} {}
  Buffer of_convolution, inside;
  std::array<Buffer, 2> first, second;
};

// A block is two convolutions and a shortcut, with a projection where the shape changes.
struct Block {
  Block(std::int64_t batch, std::int64_t c_in, std::int64_t extent, std::int64_t c_out, ParameterStore& parameters,
        int threads)
      : first(window(batch, c_in, extent, c_out, 3, c_in == c_out ? 1 : 2), true, parameters, threads),
        second(window(batch, c_out, c_in == c_out ? extent : extent / 2, c_out, 3, 1), true, parameters, threads) {
    if (c_in != c_out)
      projection =
          std::make_unique<ConvolutionNorm>(window(batch, c_in, extent, c_out, 1, 2), true, parameters, threads);
  }

  const float* forward(const float* input, ParameterStore& parameters, KernelTally& tally) {
    const float* inside = first.forward(input, nullptr, true, parameters, tally);
    if (!projection) return second.forward(inside, input, true, parameters, tally);
    const float* sum = second.forward(inside, nullptr, false, parameters, tally);
    return projection->forward(input, sum, true, parameters, tally);
  }

  // `turn` says which of the two memories holds the gradients that come in.
  Gradients backward(Gradients in, int turn, GradientMemory& memory, ParameterStore& parameters, KernelTally& tally) {
    const auto next = std::size_t(1 - turn);
    float *to_first = memory.first[next].data(), *to_second = memory.second[next].data();
    float *inside = memory.inside.data(), *convolution = memory.of_convolution.data();
    if (projection) {
      float* gated = memory.second[turn].data();  // over what came in: element by element
      projection->backward(in, gated, convolution, to_second, parameters, tally);
      second.backward({gated, nullptr}, nullptr, convolution, inside, parameters, tally);
    } else {
      second.backward(in, to_second, convolution, inside, parameters, tally);
    }
    first.backward({inside, nullptr}, nullptr, convolution, to_first, parameters, tally);
    return {to_first, to_second};
  }

  ConvolutionNorm first, second;
  std::unique_ptr<ConvolutionNorm> projection;
};

class ResidualTraining : public RealStep {
 public:
  ResidualTraining(std::int64_t batch, int threads)
      : batch_(batch),
        threads_(threads),
        stem_(window(batch, kColours, kExtent, kWidths[0], 3, 1), false, parameters_, threads),
        pool_({batch, kWidths[2], kExtent / 4, kExtent / 4, kWidths[2], 1, {8, 8, 8, 8, 0, 0}}, PoolKind::average,
              threads),
        memory_(stem_.elements()),
        pooled_(pool_.output_elements()),
        pooled_gradient_(pool_.output_elements()) {
    std::int64_t channels = kWidths[0], extent = kExtent;
    for (const std::int64_t width : kWidths) {
      for (std::int64_t b = 0; b < kBlocks; ++b) {
        blocks_.push_back(std::make_unique<Block>(batch, channels, extent, width, parameters_, threads));
        if (channels != width) extent /= 2;
        channels = width;
      }
    }
    weights_ = parameters_.place(kClasses * kWidths[2]);
    bias_ = parameters_.place(kClasses);
    parameters_.allocate();
    initialise();
  }

  void step(KernelTally& tally) override {
    const float* x = stem_.forward(images_.data(), nullptr, true, parameters_, tally);
    for (const auto& block : blocks_) x = block->forward(x, parameters_, tally);
    tally.run(KernelOp::average_pool_forward, [&] { pool_.forward(x, pooled_.data()); });
    classify(tally);
    tally.run(KernelOp::average_pool_backward,
              [&] { pool_.backward(pooled_gradient_.data(), memory_.first[0].data()); });
    Gradients gradients{memory_.first[0].data(), nullptr};
    int turn = 0;
    for (std::size_t b = blocks_.size(); b-- > 0; turn = 1 - turn)
      gradients = blocks_[b]->backward(gradients, turn, memory_, parameters_, tally);
    stem_.backward(gradients, nullptr, memory_.of_convolution.data(), nullptr, parameters_, tally);
    parameters_.update(tally, threads_);
  }

  double loss() const override {
    double sum = 0;
    for (std::int64_t i = 0; i < batch_; ++i) sum += double(loss_.losses[i]);
    return sum / double(batch_);
  }

 private:
  void initialise() {
    std::uint64_t seed = 1;
    stem_.initialise(parameters_, seed);
    for (const auto& block : blocks_) {
      block->first.initialise(parameters_, ++seed);
      block->second.initialise(parameters_, ++seed);
      if (block->projection) block->projection->initialise(parameters_, ++seed);
    }
    const Buffer weights = random_buffer(kClasses * kWidths[2], ++seed, -0.1f, 0.1f);
    std::copy_n(weights.data(), weights.size(), parameters_.weights(weights_));
    images_ = stem_.input_from_plain(random_buffer(batch_ * kColours * kExtent * kExtent, ++seed));
    loss_ = {Buffer(batch_ * kClasses), Buffer(batch_ * kClasses), Buffer(batch_), Buffer(batch_ * kClasses),
             std::make_unique<std::int32_t[]>(std::size_t(batch_))};
    RandomNumbers labels(++seed);
    for (std::int64_t i = 0; i < batch_; ++i) loss_.labels[i] = std::int32_t(labels.below(kClasses));
  }

  // Runs classifier and loss, forward and backward.
  void classify(KernelTally& tally) {
    const RowShape rows{batch_, kClasses, threads_};
    const std::int64_t features = kWidths[2];
    tally.run(KernelOp::dense_forward, [&] {
      multiply({batch_, kClasses, features, 1, false, true, threads_}, pooled_.data(), parameters_.weights(weights_),
               loss_.logits.data());
      for (std::int64_t i = 0; i < rows.elements(); ++i) loss_.logits[i] += parameters_.weights(bias_)[i % kClasses];
    });
    tally.run(KernelOp::softmax_loss_forward, [&] { softmax_loss(rows, loss_); });
    tally.run(KernelOp::softmax_loss_backward, [&] { softmax_loss_gradient(rows, loss_); });
    tally.run(KernelOp::dense_input_gradient, [&] {
      multiply({batch_, features, kClasses, 1, false, false, threads_}, loss_.gradient.data(),
               parameters_.weights(weights_), pooled_gradient_.data());
    });
    tally.run(KernelOp::dense_weight_gradient, [&] {
      multiply({kClasses, features, batch_, 1, true, false, threads_}, loss_.gradient.data(), pooled_.data(),
               parameters_.gradients(weights_));
      std::fill_n(parameters_.gradients(bias_), kClasses, 0.0f);
      for (std::int64_t i = 0; i < rows.elements(); ++i)
        parameters_.gradients(bias_)[i % kClasses] += loss_.gradient[i];
    });
  }

  std::int64_t batch_;
  int threads_;
  ParameterStore parameters_;
  ConvolutionNorm stem_;
  std::vector<std::unique_ptr<Block>> blocks_;
  Pool pool_;
  GradientMemory memory_;
  Buffer images_, pooled_, pooled_gradient_;
  SoftmaxLossOperands loss_;
  std::int64_t weights_ = 0, bias_ = 0;  // places of the classifier's parameters
};

}  // namespace

std::unique_ptr<RealStep> residual_training(std::int64_t batch, int threads) {
  return std::make_unique<ResidualTraining>(batch, team_size(threads));
}

}  // namespace mlsim::calibrate
