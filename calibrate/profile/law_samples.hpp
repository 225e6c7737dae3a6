// A `LawGroup` says which measured kernels the laws of a profile are fitted to, and what bounds them.
#pragma once

#include <vector>

#include "calibrate/fit/kernel_law_fit.hpp"
#include "calibrate/namespace.hpp"
#include "core/profile/profile.hpp"

namespace mlsim::calibrate {

/// A `LawGroup` holds kernels of one precision on one number of threads.
struct LawGroup {
  Precision precision = Precision::fp32;
  int threads = 0;
  std::vector<KernelLawSample> samples;
  Ceilings ceilings;
};

/// Groups the kernels of a profile by precision and threads, without what ran in a library's reference implementation.
/// Those measured with cold caches, or the hot ones where a group has no other. Ceilings are the largest rates among
/// the probes of that precision and threads and the samples themselves: a law may reach but not exceed what was seen.
/// `units` of the accelerator work side by side, 1 of a processor.
std::vector<LawGroup> law_groups(const Profile& profile, int units);

/// Fits the profile's laws anew to all kernels it holds. Returns those that it does not get: in the median they miss
/// the kernels held back by more than 100 %.
std::vector<KernelLaw> fit_laws(Profile& profile, int units);

}  // namespace mlsim::calibrate
