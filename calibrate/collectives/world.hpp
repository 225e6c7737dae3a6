// A `World` is the ranks that were started together, and the little they say to each other between measurements.
#pragma once

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/text/words.hpp"
#include "core/units.hpp"

namespace mlsim::calibrate {

/// A `ClockLead` says how far a rank's clock is ahead of rank 0's, and by how much that is wrong at most.
struct ClockLead {
  Seconds lead, error;
};

/// All functions but the first two and abort() are collective: every rank calls them in the same order. They abort()
/// where the others cannot be reached.
class World {
 public:
  virtual ~World() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  virtual void barrier() = 0;
  /// Returns the largest of the ranks' values.
  virtual double largest(double value) = 0;
  /// Returns rank 0's text, on every rank.
  virtual std::string from_root(const std::string& text) = 0;
  /// Returns every rank's text by rank, on every rank.
  virtual std::vector<std::string> gathered(const std::string& text) = 0;
  /// Returns the lead of this rank's steady_now(), by the quickest of many round trips; half of that is the error.
  virtual ClockLead clock_lead() = 0;
  /// Prints why and ends all ranks: this is for a failure that the others may not have seen and would wait on for ever.
  [[noreturn]] void abort(const std::string& why) {
    end_ranks(why);
    std::abort();
  }

 private:
  /// Does not return; a test's may throw.
  virtual void end_ranks(const std::string& why) = 0;
};

/// Runs `step`, everywhere; it may wait for other ranks only for a limited time. Where it throws on any rank, throws
/// Unavailable on every rank, with the reason of the first that failed. Collective.
void agreed_step(World& world, const std::function<void()>& step);

/// `barrier`: each begins when it leaves a barrier, which lets ranks go one after the other. `window`: all begin at one
/// moment of rank 0's clock, a little ahead (Hunold and Carpen-Amarie, "Reproducible MPI benchmarking is still not as
/// easy as you think", IEEE TPDS 27(12), 2016).
enum class Synchronisation { barrier, window };

inline Words<Synchronisation> words(Synchronisation) { return {"synchronisation", {"barrier", "window"}}; }

/// A `Start` brings ranks to begin a collective together.
class Start {
 public:
  Start(World& world, Synchronisation synchronisation) : world_(world), synchronisation_(synchronisation) {}

  /// Compares clocks, which drift apart. Collective.
  void synchronise();
  /// Returns when this rank is to begin; false where the moment was over before it could. Collective.
  bool together();
  /// Widens the window for the next time, after a rank was late. It is the same on all ranks.
  void widen() { window_ *= 2; }

 private:
  World& world_;
  Synchronisation synchronisation_;
  Seconds lead_;  // by which this rank's clock is ahead of rank 0's
  // The window after rank 0's word exceeds what a word takes within most clusters; where it does not, it grows.
  Seconds window_ = milliseconds(1);
};

/// A `HostPlacement` says which rank runs on which host.
struct HostPlacement {
  std::vector<std::string> hosts;  // in order of their first rank
  std::vector<int> node_of;        // by rank: index into hosts
  std::vector<int> local_rank_of;  // by rank: how many of its host's ranks come before it

  int nodes() const { return static_cast<int>(hosts.size()); }
  /// Throws InputError, naming two hosts, where they have different numbers: a profile counts nodes times ranks.
  int ranks_per_node() const;
  std::vector<std::string> hosts_by_rank() const;
};

/// The name is this process's own, as placement_of() takes it.
std::string host_name();

/// `host_names` stand by rank, at least one.
HostPlacement placement_of(const std::vector<std::string>& host_names);

}  // namespace mlsim::calibrate
