// The unfused twins run what a framework's for-loop over tensors does, each operator a kernel of its own.
#include <cmath>
#include <stdexcept>

#include "kernels/cpu/framework/lanes.hpp"
#include "kernels/cpu/framework/team.hpp"
#include "kernels/cpu/fused/update.hpp"

namespace mlsim::kernels {
namespace {

MLSIM_VECTORISED void scale(float* y, float a, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] *= a;
}
MLSIM_VECTORISED void add(float* y, float a, const float* x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] += a * x[i];
}
MLSIM_VECTORISED void add_square(float* y, float a, const float* x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] += a * x[i] * x[i];
}
MLSIM_VECTORISED void decay(float* y, const float* x, float a, const float* z, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] + a * z[i];
}
MLSIM_VECTORISED void root(float* y, const float* x, float divisor, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = std::sqrt(x[i] / divisor);
}
MLSIM_VECTORISED void offset(float* y, float a, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] += a;
}
MLSIM_VECTORISED void divide(float* y, const float* x, float divisor, const float* z, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] / divisor / z[i];
}

// Operators work on one tensor; each call is one operator over it.
class Operators {
 public:
  Operators(Tensors& t, Tensors::Slice slice, int threads) : t_(t), slice_(slice), threads_(threads) {}

  void sgd() {
    each([&](std::int64_t b, std::int64_t n) {
      decay(at(t_.scratch, b), at(t_.gradients, b), kUpdate.decay, at(t_.weights, b), n);
    });
    each([&](std::int64_t b, std::int64_t n) { add(at(t_.weights, b), -kUpdate.rate, at(t_.scratch, b), n); });
  }

  void momentum(float rate) {
    each([&](std::int64_t b, std::int64_t n) {
      decay(at(t_.scratch, b), at(t_.gradients, b), kUpdate.decay, at(t_.weights, b), n);
    });
    if (rate != 1) each([&](std::int64_t b, std::int64_t n) { scale(at(t_.scratch, b), rate, n); });
    each([&](std::int64_t b, std::int64_t n) { scale(at(t_.first, b), kUpdate.momentum, n); });
    each([&](std::int64_t b, std::int64_t n) { add(at(t_.first, b), 1, at(t_.scratch, b), n); });
    each([&](std::int64_t b, std::int64_t n) { add(at(t_.weights, b), -kUpdate.rate, at(t_.first, b), n); });
  }

  // Computes the moments, and their quotient in `step`.
  void moments() {
    each([&](std::int64_t b, std::int64_t n) { scale(at(t_.first, b), kUpdate.beta1, n); });
    each([&](std::int64_t b, std::int64_t n) { add(at(t_.first, b), 1 - kUpdate.beta1, at(t_.gradients, b), n); });
    each([&](std::int64_t b, std::int64_t n) { scale(at(t_.second, b), kUpdate.beta2, n); });
    each([&](std::int64_t b, std::int64_t n) {
      add_square(at(t_.second, b), 1 - kUpdate.beta2, at(t_.gradients, b), n);
    });
    each([&](std::int64_t b, std::int64_t n) {
      root(at(t_.scratch, b), at(t_.second, b), kUpdate.square_correction, n);
    });
    each([&](std::int64_t b, std::int64_t n) { offset(at(t_.scratch, b), kUpdate.epsilon, n); });
    each([&](std::int64_t b, std::int64_t n) {
      divide(at(t_.step, b), at(t_.first, b), kUpdate.mean_correction, at(t_.scratch, b), n);
    });
  }

  void descend(float rate) {
    each([&](std::int64_t b, std::int64_t n) { add(at(t_.weights, b), -rate, at(t_.step, b), n); });
  }

  void decay_step() {
    each([&](std::int64_t b, std::int64_t n) { add(at(t_.step, b), kUpdate.decay, at(t_.weights, b), n); });
  }

  double norm(const Buffer& buffer) const {
    std::vector<double> sums(threads_, 0);
    run_team(threads_, [&](int rank) {
      const Range range = share(slice_.end - slice_.begin, rank, threads_, kLanes);
      double sum = 0;
      for (std::int64_t i = slice_.begin + range.begin; i < slice_.begin + range.end; ++i)
        sum += double(buffer[i]) * double(buffer[i]);
      sums[rank] = sum;
    });
    double total = 0;
    for (const double sum : sums) total += sum;
    return std::sqrt(total);
  }

 private:
  static float* at(Buffer& buffer, std::int64_t begin) { return buffer.data() + begin; }

  void each(const std::function<void(std::int64_t, std::int64_t)>& work) const {
    share_out(threads_, slice_.end - slice_.begin, kLanes,
              [&](Range range) { work(slice_.begin + range.begin, range.size()); });
  }

  Tensors& t_;
  Tensors::Slice slice_;
  int threads_;
};

}  // namespace

void update_in_operators(UpdateRule rule, Tensors& t, int threads) {
  for (const auto& slice : t.slices) {
    Operators operators(t, slice, threads);
    switch (rule) {
      case UpdateRule::sgd: operators.sgd(); break;
      case UpdateRule::momentum: operators.momentum(1); break;
      case UpdateRule::lars:
        operators.momentum(float(norm_rate(rule, operators.norm(t.weights), operators.norm(t.gradients))));
        break;
      case UpdateRule::adam:
        operators.moments();
        operators.descend(kUpdate.rate);
        break;
      case UpdateRule::lamb:
        operators.moments();
        operators.decay_step();
        operators.descend(kUpdate.rate * float(norm_rate(rule, operators.norm(t.weights), operators.norm(t.step))));
        break;
      default: throw std::logic_error("no probe runs " + std::string(name(rule)) + " in operators");
    }
  }
}

}  // namespace mlsim::kernels
