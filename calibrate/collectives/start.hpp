// A `Start` brings ranks to begin a collective together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibrate/collectives/world.hpp"
#include "calibrate/namespace.hpp"
#include "core/text/words.hpp"
#include "core/units.hpp"

namespace mlsim::calibrate {

/// `barrier`: each begins when it leaves a barrier, which lets ranks go one after the other. `window`: all begin at one
/// moment of rank 0's clock, a little ahead (Hunold and Carpen-Amarie, "Reproducible MPI benchmarking is still not as
/// easy as you think", IEEE TPDS 27(12), 2016).
enum class Synchronisation { barrier, window };

const Words<Synchronisation>& words(Synchronisation);

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

}  // namespace mlsim::calibrate
