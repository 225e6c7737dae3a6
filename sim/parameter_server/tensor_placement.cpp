#include "sim/parameter_server/tensor_placement.hpp"

#include <algorithm>
#include <numeric>

namespace mlsim::sim {

std::vector<double> trained_tensors(const Model& model) {
  std::vector<double> tensors;
  for (const Layer& layer : model.layers) {
    if (!layer.trainable) continue;
    for (const std::int64_t elements : layer.parameter_tensors()) tensors.push_back(static_cast<double>(elements));
  }
  return tensors;
}

std::vector<double> server_shares(const std::vector<double>& tensors, int servers, TensorPlacement placement) {
  std::vector<double> shares(servers, 0);
  const double all = std::accumulate(tensors.begin(), tensors.end(), 0.0);
  if (all <= 0) return shares;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    switch (placement) {
      case TensorPlacement::round_robin: shares[i % shares.size()] += tensors[i] / all; break;
      case TensorPlacement::greedy: *std::min_element(shares.begin(), shares.end()) += tensors[i] / all; break;
      case TensorPlacement::partitioned:
        for (double& share : shares) share += tensors[i] / all / servers;
        break;
    }
  }
  return shares;
}

double imbalance(const std::vector<double>& shares) {
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (all <= 0) return 1;
  return *std::max_element(shares.begin(), shares.end()) * static_cast<double>(shares.size()) / all;
}

}  // namespace mlsim::sim
