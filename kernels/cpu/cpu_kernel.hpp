// cpu_kernel() makes the kernels of a processor by key, and cpu_probe() its probes by name, ready to be timed.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/kernel/kernel_key.hpp"
#include "kernels/timed.hpp"

namespace mlsim::kernels {

/// Zero `threads` are all cores. Throws Unavailable where this build or machine has no such kernel (what is not fp32,
/// lstm_*, roi_align_*), InputError where a dimension is below 1 or `threads` is more than there are.
std::unique_ptr<Timed> cpu_kernel(const KernelKey& key, int threads);

/// `name` is written as ProbeSample::name, see kernels/probes.hpp. Throws InputError with the nearest word.
std::unique_ptr<Timed> cpu_probe(const std::string& name, int threads);

/// Returns "oneDNN", "OpenBLAS", "threads" (all cores); nothing without them.
std::map<std::string, std::string> cpu_versions();

}  // namespace mlsim::kernels
