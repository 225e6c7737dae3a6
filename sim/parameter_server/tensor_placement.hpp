// A `TensorPlacement` says which parameter server holds which variable, tensor by tensor.
#pragma once

#include <vector>

#include "core/text/words.hpp"
#include "sim/namespace.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {

/// TensorFlow places variables in one of these ways:
/// round_robin   tensor i on server i mod N, in the order of creation (tf.train.replica_device_setter, its default)
/// greedy        each on the server that has the fewest bytes so far (tf.contrib.training.GreedyLoadBalancingStrategy;
///               what tf_cnn_benchmarks does over the GPUs of a box, and where workers fetch variables from servers)
/// partitioned   every tensor cut evenly over all servers (tf.fixed_size_partitioner)
enum class TensorPlacement { round_robin, greedy, partitioned };

inline Words<TensorPlacement> words(TensorPlacement) { return {"placement", {"round_robin", "greedy", "partitioned"}}; }

/// Lists the elements of each trained tensor of a model in the order of its layers; a shared one stands once.
std::vector<double> trained_tensors(const Model& model);

/// Returns the share of all elements that each of `servers` servers holds; they add up to 1. Without tensors all are 0.
std::vector<double> server_shares(const std::vector<double>& tensors, int servers, TensorPlacement placement);

/// Returns the largest share over the mean, at least 1: how much longer the busiest server works than an even one.
double imbalance(const std::vector<double>& shares);

}  // namespace mlsim::sim
