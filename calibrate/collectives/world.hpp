// A `World` is the ranks that were started together, and the little they say to each other between measurements.
#pragma once

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "calibrate/namespace.hpp"
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

}  // namespace mlsim::calibrate
