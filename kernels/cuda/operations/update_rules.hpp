// These rules change weights over chunks of many tensors in one launch, with the norms that some of them need.
#pragma once

#include "kernels/cuda/framework/atomic_sum.hpp"
#include "kernels/cuda/framework/launch_geometry.hpp"
#include "kernels/cuda/framework/row_thread.hpp"
#include "kernels/cuda/framework/row_totals.hpp"
#include "kernels/update_constants.hpp"

namespace mlsim::kernels::cuda {

/// An `UpdateKind` says what one launch does to its chunks.
enum class UpdateKind { sgd, momentum, nesterov, averaged_sgd, adagrad, lars, adam, lamb_step, lamb_apply, clip };

/// Norms of tensor t are the sum of squared weights (LAMB, LARS) at 2 t, of gradients or steps at 2 t + 1. Clipping has
/// one norm, of all gradients, at 1.
struct Norms {
  float* sums;
  bool whole;  // one norm of all tensors
  MLSIM_HD float* of(std::int32_t tensor) const { return sums + (whole ? 0 : 2 * tensor); }
  MLSIM_HD float weight(std::int32_t tensor) const { return std::sqrt(of(tensor)[0]); }
  MLSIM_HD float gradient(std::int32_t tensor) const { return std::sqrt(of(tensor)[1]); }
};

/// The rate is how much of a step LARS and LAMB take for a tensor.
template <class Number>
MLSIM_HD Number lars_rate(Number weight, Number gradient, const UpdateConstants& c) {
  return weight > 0 && gradient > 0 ? Number(c.trust) * weight / (gradient + Number(c.decay) * weight) : Number(1);
}
template <class Number>
MLSIM_HD Number lamb_rate(Number weight, Number step) {
  return weight > 0 && step > 0 ? weight / step : Number(1);
}
template <class Number>
MLSIM_HD Number clip_factor(Number norm, const UpdateConstants& c) {
  const Number factor = Number(c.largest_norm) / (norm + Number(c.epsilon));
  return factor < 1 ? factor : Number(1);
}

/// A `Parameter` has weight, gradient and what the rule keeps of it; for clipping the gradient alone.
template <class Number>
struct Parameter {
  Number weight = 0, gradient = 0;
  Number first = 0, second = 0;  // velocity, first moment or mean of weights; second moment or sum of squares
  Number step = 0;               // LAMB's, between its passes
};

/// `factor` is what the norms say: lars_rate, lamb_rate, clip_factor; 1 without norms.
template <class Number>
MLSIM_HD void update(UpdateKind rule, const UpdateConstants& c, Number factor, Parameter<Number>& p) {
  const Number rate(c.rate), decay(c.decay);
  switch (rule) {
    case UpdateKind::sgd: p.weight -= rate * (p.gradient + decay * p.weight); break;
    case UpdateKind::momentum:
    case UpdateKind::lars:
      p.first = Number(c.momentum) * p.first + factor * (p.gradient + decay * p.weight);
      p.weight -= rate * p.first;
      break;
    case UpdateKind::nesterov: {
      const Number gradient = p.gradient + decay * p.weight;
      p.first = Number(c.momentum) * p.first + gradient;
      p.weight -= rate * (gradient + Number(c.momentum) * p.first);
      break;
    }
    case UpdateKind::averaged_sgd:
      p.weight -= rate * (p.gradient + decay * p.weight);
      p.first += Number(c.average_share) * (p.weight - p.first);
      break;
    case UpdateKind::adagrad:
      p.second += p.gradient * p.gradient;
      p.weight -= rate * p.gradient / (std::sqrt(p.second) + Number(c.epsilon));
      break;
    case UpdateKind::adam:
    case UpdateKind::lamb_step: {
      p.first = Number(c.beta1) * p.first + (Number(1) - Number(c.beta1)) * p.gradient;
      p.second = Number(c.beta2) * p.second + (Number(1) - Number(c.beta2)) * p.gradient * p.gradient;
      const Number mean = p.first / Number(c.mean_correction), square = p.second / Number(c.square_correction);
      p.step = mean / (std::sqrt(square) + Number(c.epsilon));
      if (rule == UpdateKind::adam) {
        p.weight -= rate * p.step;
      } else {
        p.step += decay * p.weight;
      }
      break;
    }
    case UpdateKind::lamb_apply: p.weight -= rate * factor * p.step; break;
    case UpdateKind::clip: p.gradient *= factor; break;
  }
}

/// Chunks are rows here.
struct ChunkRows {
  const Chunk* table;
  static constexpr bool kCarries = false;
  template <int W>
  using Carry = NoCarry<W>;
  MLSIM_HD RowSpan span(std::int64_t row) const { return {table[row].begin, table[row].elements}; }
};

/// Adds the squares of weights (may be null) and gradients to the norms of each chunk's tensor.
struct SquareSums : ChunkRows {
  static constexpr bool kReduces = true;
  using Total = TwoSums;
  template <int W>
  struct Held {
    Lanes<W> weight, gradient;
  };
  const float *weight, *gradient;
  Norms norms;

  template <int W>
  MLSIM_HD Held<W> load(std::int64_t row, std::int64_t index) const {
    const std::int64_t first = table[row].begin + index;
    return {weight != nullptr ? read<W>(weight, first) : Lanes<W>{}, read<W>(gradient, first)};
  }
  template <int W>
  MLSIM_HD void add(Total& sum, const Held<W>& held, std::int64_t, std::int64_t) const {
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) {
      sum.first += held.weight[i] * held.weight[i];
      sum.second += held.gradient[i] * held.gradient[i];
    }
  }
  MLSIM_HD void total(std::int64_t row, const Total& sum) const {
    float* of = norms.of(table[row].tensor);
    if (weight != nullptr) add_to(of, sum.first);
    add_to(of + 1, sum.second);
  }
  template <int W>
  MLSIM_HD void finish(std::int64_t, std::int64_t, const Held<W>&, const Total&, NoCarry<W>&) const {}
};

/// Updates a chunk; arrays that the rule does not use are null. LAMB's first pass adds up the norms that its second
/// needs.
struct Update : ChunkRows {
  static constexpr bool kReduces = true;
  using Total = TwoSums;
  template <int W>
  struct Held {
    Lanes<W> weight, gradient, first, second, step;
  };
  UpdateKind rule;
  UpdateConstants constants;
  float *weight, *gradient, *first, *second, *step;
  Norms norms;

  MLSIM_HD float factor(std::int32_t tensor) const {
    if (rule == UpdateKind::lars) return lars_rate(norms.weight(tensor), norms.gradient(tensor), constants);
    if (rule == UpdateKind::lamb_apply) return lamb_rate(norms.weight(tensor), norms.gradient(tensor));
    return rule == UpdateKind::clip ? clip_factor(norms.gradient(tensor), constants) : 1;
  }
  template <int W>
  MLSIM_HD static Lanes<W> load_of(const float* array, std::int64_t at) {
    return array != nullptr ? read<W>(array, at) : Lanes<W>{};
  }
  template <int W>
  MLSIM_HD Held<W> load(std::int64_t row, std::int64_t index) const {
    const std::int64_t at = table[row].begin + index;
    Held<W> held{load_of<W>(weight, at), load_of<W>(gradient, at), load_of<W>(first, at), load_of<W>(second, at), {}};
    if (rule == UpdateKind::lamb_apply) held.step = read<W>(step, at);
    const float share = factor(table[row].tensor);
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) {
      Parameter<float> p{held.weight[i], held.gradient[i], held.first[i], held.second[i], held.step[i]};
      update(rule, constants, share, p);
      held.weight[i] = p.weight, held.gradient[i] = p.gradient;
      held.first[i] = p.first, held.second[i] = p.second, held.step[i] = p.step;
    }
    return held;
  }
  template <int W>
  MLSIM_HD void add(Total& sum, const Held<W>& held, std::int64_t, std::int64_t) const {
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) {
      sum.first += held.weight[i] * held.weight[i];
      sum.second += held.step[i] * held.step[i];
    }
  }
  MLSIM_HD void total(std::int64_t row, const Total& sum) const {
    if (rule != UpdateKind::lamb_step) return;
    float* of = norms.of(table[row].tensor);
    add_to(of, sum.first);
    add_to(of + 1, sum.second);
  }
  template <int W>
  MLSIM_HD void finish(std::int64_t row, std::int64_t index, const Held<W>& held, const Total&, NoCarry<W>&) const {
    const std::int64_t at = table[row].begin + index;
    if (rule == UpdateKind::clip) return write<W>(gradient, at, held.gradient);
    if (rule == UpdateKind::lamb_step) {
      write<W>(step, at, held.step);
    } else {
      write<W>(weight, at, held.weight);
    }
    if (first != nullptr) write<W>(first, at, held.first);
    if (second != nullptr) write<W>(second, at, held.second);
  }
};

}  // namespace mlsim::kernels::cuda
