// The totals of a row are summed in one pass: the numbers, and how two halves of a row merge.
#pragma once

#include <cmath>

#include "kernels/cuda/framework/lanes.hpp"

namespace mlsim::kernels::cuda {

/// Online softmax keeps the largest element and the sum of exp(x - largest) (Milakov and Gimelshein, arXiv:1805.02867).
struct SoftmaxTotal {
  float largest = -INFINITY, sum = 0;

  template <int W>
  MLSIM_HD void add(const Lanes<W>& x) {
    float top = largest;
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) top = x[i] > top ? x[i] : top;
    if (top == -INFINITY) return;
    float more = 0;
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) more += std::exp(x[i] - top);
    sum = sum * std::exp(largest - top) + more;
    largest = top;
  }
  MLSIM_HD void merge(const SoftmaxTotal& other) {
    const float top = largest > other.largest ? largest : other.largest;
    if (top == -INFINITY) return;
    sum = sum * std::exp(largest - top) + other.sum * std::exp(other.largest - top);
    largest = top;
  }
};

/// The total holds count, mean and sum of squared deviations (Chan, Golub and LeVeque, Updating formulae and a pairwise
/// algorithm for computing sample variances, 1979).
struct MomentsTotal {
  float count = 0, mean = 0, deviations = 0;

  template <int W>
  MLSIM_HD void add(const Lanes<W>& x) {
    MomentsTotal more;
    more.count = W;
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) more.mean += x[i];
    more.mean /= W;
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) more.deviations += (x[i] - more.mean) * (x[i] - more.mean);
    merge(more);
  }
  MLSIM_HD void merge(const MomentsTotal& other) {
    const float all = count + other.count;
    if (all == 0) return;
    const float distance = other.mean - mean, share = other.count / all;
    // The mean is weighted by both counts, so that two threads that merge each other's sums find the same bits.
    mean = (count * mean + other.count * other.mean) / all;
    deviations = deviations + other.deviations + distance * distance * (count * share);
    count = all;
  }
  MLSIM_HD float inverse_deviation(float epsilon) const { return 1 / std::sqrt(deviations / count + epsilon); }
};

/// The total is two plain sums.
struct TwoSums {
  float first = 0, second = 0;
  MLSIM_HD void merge(const TwoSums& other) {
    first += other.first;
    second += other.second;
  }
};

}  // namespace mlsim::kernels::cuda
