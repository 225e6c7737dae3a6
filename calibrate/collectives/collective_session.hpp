// A `CollectiveSession` is what every rank does, alike, when rank 0 asks for a collective to be measured.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/bench.hpp"
#include "calibrate/collectives/collective_subject.hpp"
#include "calibrate/collectives/communicator.hpp"
#include "calibrate/collectives/world.hpp"
#include "calibrate/namespace.hpp"
#include "core/units.hpp"

namespace mlsim::calibrate {

/// Makes the communicator of a library ("mpi") on a device ("cpu"). Collective; throws Unavailable on all ranks alike.
using CommunicatorFactory =
    std::function<std::unique_ptr<Communicator>(const std::string& library, const std::string& device)>;

/// Every call is collective. A failure before buffers are in place is Unavailable on every rank; one while a collective
/// runs ends all ranks (World::abort), because some may be left waiting inside the library.
class CollectiveSession {
 public:
  CollectiveSession(World& world, CommunicatorFactory factory, Synchronisation synchronisation)
      : world_(world), factory_(std::move(factory)), start_(world, synchronisation) {}

  /// Prepares a collective and gives up the one prepared before.
  void prepare(const CollectiveSubject& subject);
  /// Returns the time of the slowest rank, since all began together; for a point to point half of rank 0's round trip.
  Seconds sample();
  /// Returns the largest error of all ranks.
  double largest_error();
  /// Returns the payload that is exchanged: the one asked for, cut to whole elements for each rank.
  Bytes payload() const;

 private:
  Communicator& communicator(const CollectiveSubject& subject);
  Seconds run();

  World& world_;
  CommunicatorFactory factory_;
  Start start_;
  std::map<std::string, std::unique_ptr<Communicator>> communicators_;
  std::map<std::string, std::string> obstacles_;  // why a communicator could not be made, so that each is tried once
  CollectiveSubject subject_;
  CollectiveCase case_;
  std::unique_ptr<Exchange> exchange_;
};

/// A `CollectiveBench` lets rank 0 take orders and lead; the other ranks follow. The bench lives on rank 0. Each call
/// tells the others what to do and does it. A collective finds in the caches what the one before left there, whatever
/// the order says, as in nccl-tests: gradients are fresh when they are exchanged.
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
