// fit_kernel_laws() turns measured kernels into laws of their work, bounded by the machine's ceilings.
#pragma once

#include <vector>

#include "calibrate/fit/fit.hpp"
#include "calibrate/namespace.hpp"
#include "core/profile/kernel_law.hpp"
#include "core/profile/measurement.hpp"

namespace mlsim::calibrate {

struct KernelLawSample {
  KernelWork work;
  SampleStatistics time;
  int threads = 0;
};

/// The machine reached these in its own probes (largest product, copy), at the samples' precision and threads.
struct Ceilings {
  FlopPerSecond compute;
  BytesPerSecond memory;
  int units = 1;  // units work on tiles side by side: the SMs of a GPU, 1 on a processor
};

/// Fits one law for every (precision, threads) and class of operators (calibrate/fit/kernel_class.hpp) with four
/// samples or more. Classes with fewer share one law within their family (products, convolutions, memory) if they have
/// four together, and else have none. Replicas have the constants alone. Throws InputError where a time or a ceiling is
/// not positive and finite, or work is negative, not finite or nothing.
std::vector<KernelLaw> fit_kernel_laws(const std::vector<KernelLawSample>& samples, const Ceilings& ceilings,
                                       const FitOptions& options = {});

}  // namespace mlsim::calibrate
