// measured_profile() turns replies of measuring programs into the samples of a profile, and laws fitted to them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "calibrate/fit/collective_fit.hpp"
#include "calibrate/fit/kernel_law_fit.hpp"
#include "calibrate/namespace.hpp"
#include "core/profile/measurement.hpp"
#include "core/profile/profile.hpp"

namespace mlsim::calibrate {

/// `MeasuredOn` tells what replies do not say about themselves.
struct MeasuredOn {
  std::string accelerator;  // name in topology files
  std::string host, processor;
  std::string date;
  std::map<std::string, std::string> environment;
};

/// Returns samples of kernels and probes, in order of their subjects, without the unavailable ones; no laws yet.
Profile measured_profile(const std::vector<MeasureReply>& replies, const MeasuredOn& on);

/// Puts `newer` over `older`: a sample of the same key, threads and caches is replaced, all else stays. Throws
/// InputError with `file`, the older's, where it is of another accelerator.
Profile merged_profile(Profile older, const Profile& newer, const std::string& file);

/// A `CurveFit` makes a curve of a sweep.
using CurveFit = std::function<CollectiveCurve(const CollectiveSweep&)>;

/// Another launch of what a curve already holds adds to its launches, a new one is added; the curves are fitted again,
/// and so is their growth with ranks, from those that were measured. Throws InputError as import/import_file.hpp's
/// merged_sweeps and fit_collective do.
void add_sweeps(
    Profile& profile, const std::vector<CollectiveSweep>& sweeps,
    const CurveFit& fit = [](const CollectiveSweep& sweep) { return fit_collective(sweep); });

/// The source reads "mlsim calibrate, on HOST (PROCESSOR)", measured.
Source measured_source(const MeasuredOn& on);

/// A `LawGroup` says which measured kernels laws are fitted to, and what bounds them: kernels of one
/// precision on one number of threads.
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
