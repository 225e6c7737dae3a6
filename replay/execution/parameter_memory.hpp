// A ParameterMemory holds a rank's weights and gradients, bucket by bucket as they are exchanged, and updates them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibrate/collectives/communicator.hpp"
#include "kernels/cpu/fused/update.hpp"
#include "replay/execution/replay_plan.hpp"
#include "replay/namespace.hpp"

namespace mlsim::replay {

/// Each bucket is padded with zeros to equal parts for all ranks, as its exchange is. A rank whose update is sharded,
/// or that serves, updates its part of every bucket.
class ParameterMemory {
 public:
  ParameterMemory(const ReplayPlan& plan, int rank, int ranks, int threads);

  /// Finds a tensor by its name, "fc1.weight".
  float* weights(const std::string& tensor) { return &weights_[places_.at(tensor)]; }
  float* gradients(const std::string& tensor) { return &gradients_[places_.at(tensor)]; }
  bool has(const std::string& tensor) const { return places_.contains(tensor); }
  /// Call this when the first weights are in place: servers take their parts.
  void begin();

  void bring(workloads::StepVertex vertex, calibrate::Exchange& exchange);
  void take(workloads::StepVertex vertex, calibrate::Exchange& exchange);
  /// Updates by the mean of all ranks' gradients.
  void update();

 private:
  struct Bucket {
    std::size_t begin = 0, size = 0;            // of the whole, padded
    std::size_t parameters = 0;                 // without what pads them
    std::size_t part_begin = 0, part_size = 0;  // of the own part, among all own parts
  };
  void place_buckets(const ReplayPlan& plan);
  void number_exchanges(const workloads::StepGraph& graph);
  float* own_part(const Bucket& bucket) {
    return &weights_[bucket.begin + static_cast<std::size_t>(rank_) * bucket.part_size];
  }

  int rank_, ranks_, threads_;
  bool in_parts_, serves_;
  UpdateRule rule_;
  std::vector<Bucket> buckets_;
  std::map<std::string, std::size_t> places_;
  std::vector<float> weights_, gradients_;
  std::vector<const workloads::StepNode*> nodes_;           // by vertex
  std::map<workloads::StepVertex, std::size_t> bucket_of_;  // exchanges but pulls
  std::unique_ptr<kernels::Tensors> updated_;               // all, or the own parts
  std::size_t pushed_ = 0;
};

}  // namespace mlsim::replay
