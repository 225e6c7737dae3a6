// A `CollectiveBench` lets rank 0 take orders and lead; the other ranks follow.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/bench.hpp"
#include "calibrate/collectives/collective_session.hpp"
#include "calibrate/collectives/world.hpp"
#include "calibrate/namespace.hpp"

namespace mlsim::calibrate {

/// The bench lives on rank 0. Each call tells the others what to do and does it. A collective finds in the caches what
/// the one before left there, whatever the order says, as in nccl-tests: gradients are fresh when they are exchanged.
class CollectiveBench : public Bench {
 public:
  /// `hosts` stand by rank.
  CollectiveBench(World& world, CollectiveSession& session, std::vector<std::string> hosts)
      : world_(world), session_(session), hosts_(std::move(hosts)) {}
  CollectiveBench(const CollectiveBench&) = delete;
  CollectiveBench& operator=(const CollectiveBench&) = delete;

  /// Only one collective is prepared at a time: the one returned before may no longer be sampled.
  std::unique_ptr<Timed> prepare(const MeasureOrder& order) override;
  std::string clock() override { return {}; }
  std::vector<std::string> hosts() override { return hosts_; }
  /// Lets the others return from follow().
  void end();

 private:
  World& world_;
  CollectiveSession& session_;
  std::vector<std::string> hosts_;
};

/// Every other rank follows until end().
void follow(World& world, CollectiveSession& session);

}  // namespace mlsim::calibrate
