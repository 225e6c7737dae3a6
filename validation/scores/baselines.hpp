// A `Baseline` is what a case comes out at without any simulation: the answers that a model has to beat.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/profile.hpp"
#include "core/shared_list.hpp"
#include "core/text/words.hpp"
#include "sim/evidence/run_traits.hpp"
#include "sim/options/options.hpp"
#include "validation/cases/cases.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

/// The systems of one family share this. Slices of a torus are one machine whatever its size.
struct SystemFamily {
  std::string hardware;  // machine, workload and precision
  std::string stack;
  std::optional<InputData> data;
  std::optional<VariableUpdate> update;
  std::optional<ServerPlan::Device> device;
  bool operator==(const SystemFamily&) const = default;
};
SystemFamily family_of(const Case& c);

/// Finds the anchor of a case's family, else of the same machine, workload and precision under other software, as
/// predict() falls back too: of its own source first, then the fewest accelerators, then the largest batch; null where
/// there is none.
const Case* family_anchor(const Case& c, const std::vector<Case>& cases);

/// The linear baseline lets every accelerator keep the rate that it has in the family's anchor, whatever N and batch.
/// Gives the baseline's answer for `c`; `base` is the case it is relative to, or null. It is empty where the metric
/// says nothing about scaling, or the family has no anchor.
std::optional<double> linear_baseline(const Case& c, const Case* base, const std::vector<Case>& cases);

/// A baseline leans on the anchor of the case's family: every accelerator keeps its rate; it keeps 97 % of it beside
/// others; or three terms, the time of samples, a fixed time a step, and a ring.
enum class Baseline { linear, constant, three_term };
inline Words<Baseline> words(Baseline) { return {"baseline", {"linear", "constant", "three-term"}}; }

inline constexpr std::size_t kBaselines = 3;

/// Answers are in SI units of the case's metric, by Baseline; empty where one says nothing.
using BaselineAnswers = std::array<std::optional<double>, kBaselines>;

/// A `Baselines` looks each system and network up once.
class Baselines {
 public:
  /// Answers `c` from the anchors among `cases`; `base` is the case it is relative to, or null. Only the linear one
  /// answers ratios. The three terms take the fixed step time of the anchor's stack from `profiles`, and 2(N-1)/N S/B
  /// for gradients of the network's parameters over the links of the accelerator, or of the node where there are
  /// several.
  BaselineAnswers of(const Case& c, const Case* base, const std::vector<Case>& cases,
                     const SharedList<Profile>& profiles);

 private:
  struct NetworkSize {
    double parameters = 0, layers = 0;
  };
  /// Gives zeros for a network that cannot be had.
  NetworkSize network_size(const std::string& workload);
  /// Gives the slowest link that a ring goes over; 0 for a system that cannot be had.
  BytesPerSecond ring_bandwidth(const std::string& topology, int accelerators);
  Seconds ring_time(const Case& c);
  Seconds fixed_time(const Case& anchor, const SharedList<Profile>& profiles);
  Seconds three_terms(const Case& c, const Case& anchor, const SharedList<Profile>& profiles);

  TraitsReader traits_;
  std::map<std::string, NetworkSize> networks_;
  std::map<std::pair<std::string, int>, BytesPerSecond> rings_;
};

}  // namespace mlsim::validation
