// How fast the kernels of a step are to be taken that nobody has run, from the steps that somebody did run.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/kernel/precision.hpp"
#include "core/shared_list.hpp"
#include "sim/namespace.hpp"
#include "sim/options/parsed_anchor.hpp"

namespace mlsim::sim {

inline constexpr std::size_t kSpeedTraits = 5;

/// What the speed of a step's kernels, against their curve, is taken to depend on.
struct SpeedTraits {
  std::string chip;      // "v100 fp16": the accelerator's kind and the precision
  std::string family;    // sort of network, "transformer"
  std::string network;   // whatever its version
  std::string software;  // code base, whatever its release; empty where it is not told
  /// The last is how the accelerator's kind runs the network, whatever the software.
  std::array<std::string, kSpeedTraits> levels() const {
    return {chip, family, network, software, chip + " " + network};
  }
};

SpeedTraits speed_traits(const std::string& accelerator, Precision precision, const std::string& workload,
                         const std::string& stack);

/// Of ln(kernel speed): a mean, and an effect of each trait's level, each shrunk towards 0 as one of kShrunk further
/// runs that show none would. Fitted by rounds of one trait after the other; deterministic.
class SpeedPrior {
 public:
  /// From the anchors whose kernel speed is known, of TPUs or of the others as `accelerator` is one or not: neither's
  /// software runs on the other.
  SpeedPrior(const std::vector<ParsedAnchor>& anchors, const std::string& accelerator);

  bool empty() const { return runs_ == 0; }
  std::size_t runs() const { return runs_; }
  /// The factor on the curve. A level that no run has counts as an average one.
  double speed(const SpeedTraits& traits) const;
  /// By which kernels of `asked` are faster than those of `run`, as far as their software tells.
  double software_ratio(const SpeedTraits& asked, const SpeedTraits& run) const;

 private:
  double effect(std::size_t trait, const std::string& level) const;

  std::size_t runs_ = 0;
  double mean_ = 0;
  std::array<std::map<std::string, double>, kSpeedTraits> effects_;
};

/// Fitted once for questions in a row on the same anchors; good until the next call with others.
const SpeedPrior& speed_prior(const SharedList<ParsedAnchor>& anchors, const std::string& accelerator);

}  // namespace mlsim::sim
