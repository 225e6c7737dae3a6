// A `SpeedPrior` says how fast the kernels of a step are that nobody has run, from the steps that somebody did run.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sim/evidence/evidence.hpp"
#include "sim/evidence/run_traits.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

inline constexpr std::size_t kSpeedTraits = 6;

/// The speed of a step's kernels, against their curve, is taken to depend on these traits.
struct SpeedTraits {
  std::string chip;      // "v100 fp16": the accelerator's kind and the precision
  std::string sort;      // of the network, "transformer"
  std::string network;   // whatever its version
  std::string software;  // code base, whatever its release; empty where it is not told
  std::string format;    // "16 bit": the precision, whatever the accelerator
  /// The last two are how the accelerator's kind runs the network, whatever the software, and how any runs it in the
  /// format.
  std::array<std::string, kSpeedTraits> levels() const {
    return {chip, sort, network, software, chip + " " + network, network + " " + format};
  }
};

SpeedTraits speed_traits(const RunTraits& run);

/// The prior models ln(kernel speed) as a mean and an effect of each trait's level, shrunk towards 0 as kShrunk further
/// runs that show none would shrink it. The fit goes in rounds of one trait after the other and is deterministic.
class SpeedPrior {
 public:
  /// Fits the runs of the population in sight whose kernel speed is known.
  SpeedPrior(const Evidence& evidence, SpeedPopulation population);

  bool empty() const { return runs_ == 0; }
  std::size_t runs() const { return runs_; }
  /// Gives the factor on the curve. A level that no run has counts as an average one; software that is not told as
  /// that of the network's runs.
  double speed(const SpeedTraits& traits) const;
  /// Says by which factor kernels of `asked` are faster than those of `run`, as far as their software tells.
  double software_ratio(const SpeedTraits& asked, const SpeedTraits& run) const;

 private:
  void add_usual(const std::vector<SpeedTraits>& runs);
  double effect(std::size_t trait, const std::string& level) const;

  std::size_t runs_ = 0;
  double mean_ = 0;
  std::array<std::map<std::string, double>, kSpeedTraits> effects_;
  std::map<std::string, double> usual_software_;  // by network, the mean effect of the software that ran it
  std::map<std::string, double> usual_network_;   // by chip and sort, the mean effect of the networks that it ran
};

}  // namespace mlsim::sim
