// A GradientExchange follows the backward pass: it says when gradients are complete and what exchanges them.
#pragma once

#include <string>
#include <vector>

#include "workloads/lowering/gradient_bucket.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/lowering/step_builder.hpp"

namespace mlsim::workloads {

/// The lowering tells it of every weight gradient of the last micro-batch; it adds the exchanges of what is complete.
class GradientExchange {
 public:
  /// The arguments must outlive the exchange.
  GradientExchange(const ShardedModel& sharded, const StepPlan& plan, StepBuilder& builder);

  /// `vertices` make `layer`'s part of the gradients of its parameters. With overlap, exchanges of all that is complete
  /// by now follow, buckets in their order.
  void add(int layer, const Vertices& vertices);
  /// Adds the exchanges that are still missing once the backward pass is over.
  void finish();

  /// An update has to wait for these.
  Vertices dense_ready() const;
  Vertices sparse_ready(std::size_t gradient) const;

  const std::vector<GradientBucket>& buckets() const { return buckets_; }
  const std::vector<SparseGradient>& sparse() const { return sparse_; }

 private:
  bool is_exchanged(const GradientBucket& bucket) const { return plan_.parameter_servers || !bucket.axes.empty(); }
  void add_ready_buckets(bool all);
  bool is_complete(std::size_t bucket) const;  // with cycles: all that its cycle finds
  Vertices makers_of(std::size_t bucket) const;
  int tensors(std::size_t bucket) const;
  void add_bucket(std::size_t bucket);
  Vertices add_reduce_scatter(const std::string& what, const GradientBucket& bucket, Vertices after);
  void add_fused_bucket(std::size_t bucket);
  void add_sparse(std::size_t gradient);

  const Model& model_;
  const StepPlan& plan_;
  StepBuilder& builder_;
  std::vector<GradientBucket> buckets_;
  std::vector<SparseGradient> sparse_;
  std::vector<int> sparse_of_layer_;          // by layer, or -1
  std::vector<int> missing_parts_;            // by owner: layers whose part of the gradient is not there yet
  std::vector<std::vector<int>> buckets_of_;  // by owner
  std::vector<int> missing_layers_;           // by bucket
  std::vector<Vertices> made_by_;             // by owner
  std::vector<Vertices> exchanges_;           // by bucket: its exchange once it is there
  Vertices waits_;                            // by cycle, as far as they are there
  std::vector<Vertices> sparse_exchanges_;    // by sparse gradient; empty until it is there
};

}  // namespace mlsim::workloads
