// Rank 0 takes orders and leads; the other ranks follow.
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

/// On rank 0. Each call tells the others what to do and does it. A collective finds in the caches what the one before
/// it left there, whatever the order says, as in nccl-tests: gradients are fresh when they are exchanged.
class CollectiveBench : public Bench {
 public:
  /// `hosts` by rank.
  CollectiveBench(World& world, CollectiveSession& session, std::vector<std::string> hosts)
      : world_(world), session_(session), hosts_(std::move(hosts)) {}
  CollectiveBench(const CollectiveBench&) = delete;
  CollectiveBench& operator=(const CollectiveBench&) = delete;

  /// One at a time: what it returned before may no longer be sampled.
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

/// On every other rank: until end().
void follow(World& world, CollectiveSession& session);

}  // namespace mlsim::calibrate
