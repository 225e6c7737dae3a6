// `KnownKernels` are what profiles know of the kernels of one accelerator: timed ones, and laws fitted to timed ones.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/kernel/kernel_key.hpp"
#include "core/profile/kernel_law.hpp"
#include "core/profile/profile.hpp"
#include "core/units.hpp"
#include "sim/kernel_cost/kernel_time.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Gives one sigma of the log of a time, from its quartiles.
double log_spread(const SampleStatistics& time);
/// Gives one sigma of the log of what a law says of `work`: from what the law missed of the kernels held back (of those
/// fitted to where none were), or from its bootstrap replicas where those lie further apart.
double log_spread(const KernelLaw& law, const KernelWork& work);

class KnownKernels {
 public:
  struct Time {
    Seconds time;  // all launches of the kernel
    CostBasis basis = CostBasis::measured;
    double log_spread = 0;
  };

  /// Adds what profiles added before do not know.
  void add(const Profile& profile);
  /// Sets what kernels find in the caches, which are cold until told; where they are hot, `batch_readers` find the
  /// batch fresh. A kernel that was not timed so has its time with hot caches, or else with cold ones.
  void set_caches(Cache state, std::set<KernelKey> batch_readers = {});
  /// This is the last-level cache of the processor that was timed first; 0 where calibration did not write it down.
  Bytes last_level() const { return last_level_; }
  bool empty() const { return samples_.empty() && laws_.empty(); }
  /// Takes a timed kernel before a law; empty where neither knows it.
  std::optional<Time> time(const KernelWork& work) const;
  /// Gives the source of the nearest sample or law; basis is `measured` or `law` and known.
  Source source(CostBasis basis) const;

 private:
  const KernelSample* sample(const KernelKey& key) const;

  Bytes last_level_;
  Cache caches_ = Cache::cold;
  std::set<KernelKey> batch_readers_;
  std::map<KernelKey, std::map<Cache, KernelSample>> samples_;
  std::map<std::pair<KernelOp, Precision>, KernelLaw> laws_;
  std::optional<Source> sample_source_, law_source_;
};

}  // namespace mlsim::sim
