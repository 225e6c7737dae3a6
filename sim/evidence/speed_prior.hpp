// A `SpeedPrior` says how fast the kernels of a step are that nobody has run, from the steps that somebody did run.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "sim/evidence/evidence.hpp"
#include "sim/evidence/run_traits.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

inline constexpr std::size_t kSpeedTraits = 9;

/// The speed of a step's kernels, against their curve, is taken to depend on these traits.
struct SpeedTraits {
  std::string chip;      // "v100 16 bit": the accelerator's kind and the format
  std::string sort;      // of the network, "transformer"
  std::string network;   // whatever its version
  std::string software;  // code base, whatever its release; empty where it is not told
  std::string format;    // "16 bit": the precision, whatever the accelerator

  /// Gives the letters that the network's name begins with, which its relatives share: "resnet" of "resnet50".
  std::string family() const;
  /// Gives the level of each trait. The pairs are how the accelerator's kind runs the network, whatever the software,
  /// and how any runs the sort, the family and the network in the format.
  std::array<std::string, kSpeedTraits> levels() const;
};

SpeedTraits speed_traits(const RunTraits& run);

/// ln(kernel speed) is modelled as a mean and an effect of each trait's level, shrunk towards 0 as kShrunk further runs
/// that show none would shrink it.
struct SpeedEffects {
  std::size_t runs = 0;
  double mean = 0;
  std::array<std::map<std::string, double>, kSpeedTraits> of_trait;  // by level
  std::map<std::string, double> usual_software;  // by network, the mean effect of the software that ran it
  std::map<std::string, double> usual_network;   // by level, the mean effect of the networks of a family, or a sort
};

/// Fits the runs of the population in sight whose kernel speed is known, in rounds of one trait after the other; but
/// for language models, whose kernels go by other curves.
SpeedEffects fit_speeds(const Evidence& evidence, SpeedPopulation population);

class SpeedPrior {
 public:
  explicit SpeedPrior(SpeedEffects effects) : effects_(std::move(effects)) {}

  bool empty() const { return effects_.runs == 0; }
  std::size_t runs() const { return effects_.runs; }
  /// Gives the factor on the curve. A network that no run has counts as those of its family, or else of its sort; any
  /// other level without a run as an average one; software that is not told as that of the network's runs.
  double speed(const SpeedTraits& traits) const;
  /// Says by which factor kernels of `asked` are faster than those of `run`, as far as their software tells.
  double software_ratio(const SpeedTraits& asked, const SpeedTraits& run) const;

 private:
  SpeedEffects effects_;
};

}  // namespace mlsim::sim
