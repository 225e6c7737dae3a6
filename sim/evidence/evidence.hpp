// `Evidence` has the runs on record that an answer may lean on, and what is worked out of them once for all questions.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/profile.hpp"
#include "core/shared_list.hpp"
#include "sim/evidence/run_traits.hpp"
#include "sim/namespace.hpp"
#include "sim/options/parsed_anchor.hpp"

namespace mlsim::sim {

class SpeedPrior;
struct SpeedEffects;

/// A copy costs a pointer and shares all that was worked out; threads may share one. Of hidden runs only the names of
/// their stacks stay known.
class Evidence {
 public:
  struct Run {
    std::size_t place;  // among all runs
    const ParsedAnchor& run;
    const RunTraits& traits;
  };

  Evidence() : Evidence(std::vector<ParsedAnchor>()) {}
  Evidence(std::vector<ParsedAnchor> runs);  // NOLINT: a list of runs is evidence
  /// `networks` has the network of each run; `read` gives the runs of one, or of all ("") that are asked for, in their
  /// order; `fitted` what fit_speeds() makes of all of them, if that is known.
  using ReadNetwork = std::function<std::vector<ParsedAnchor>(const std::string& network)>;
  using FittedSpeeds = std::function<SpeedEffects(SpeedPopulation)>;
  Evidence(const std::vector<std::string>& networks, ReadNetwork read, FittedSpeeds fitted);
  Evidence(std::initializer_list<ParsedAnchor> runs) : Evidence(std::vector<ParsedAnchor>(runs)) {}

  /// These give all runs, hidden ones too.
  operator const std::vector<ParsedAnchor>&() const { return runs(); }  // NOLINT
  const std::vector<ParsedAnchor>& runs() const;
  auto begin() const { return runs().begin(); }
  auto end() const { return runs().end(); }
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  const ParsedAnchor& front() const { return (*this)[0]; }
  const ParsedAnchor& operator[](std::size_t place) const;

  /// Gives the same without the runs that `hides` names, beside those that are hidden already.
  Evidence without(const std::function<bool(std::size_t place)>& hides) const;
  /// Gives the same with more runs behind its own.
  Evidence with(const std::vector<ParsedAnchor>& more) const;

  /// Says whether a run has the stack, a hidden one too.
  bool knows_stack(const std::string& stack) const;

  /// These give the run at a place, and the runs in sight of a network, whatever its version, in their order.
  Run at(std::size_t place) const;
  std::vector<Run> of_network(const std::string& network) const;

  struct KernelSpeed {
    double speed;  // factor on the curve
    RunTraits names;
  };
  /// Gives the runs in sight whose kernel speed is known and is what bounds them, with what their names and precision
  /// tell, in their order.
  std::vector<KernelSpeed> kernel_speeds() const;

  /// Says what kernels that nobody ran reach, by the runs of the population in sight.
  const SpeedPrior& prior(SpeedPopulation population) const;

  /// Keeps what `solve` gives of the run at a place (at a speed, for its contention) with these profiles, asked once
  /// for questions in a row with the same profiles.
  using SolvedKey = std::pair<std::size_t, std::optional<double>>;
  double solved(const SolvedKey& key, const SharedList<Profile>& builtin, const SharedList<Profile>& own,
                const std::function<double()>& solve) const;

 private:
  struct Record;
  struct Sight;
  Evidence(std::shared_ptr<Record> record, std::shared_ptr<Sight> sight);

  std::shared_ptr<Record> record_;  // the runs, whoever sees them
  std::shared_ptr<Sight> sight_;    // which of them are hidden
};

}  // namespace mlsim::sim
