// The catalogue names what mlsim-cuda can time on a GPU: kernels of step graphs and named probes. Without CUDA in the
// build the functions that need a GPU throw Unavailable.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/kernel/kernel_key.hpp"
#include "kernels/timed.hpp"

namespace mlsim::kernels {

/// Makes a kernel ready to be timed on device 0. Throws Unavailable where GPU, memory or build cannot run it.
std::unique_ptr<Timed> cuda_kernel(const KernelKey& key);
/// Makes the probe of a name (cuda::parse_probe_name). Throws InputError on a wrong name, else as cuda_kernel.
std::unique_ptr<Timed> cuda_probe(const std::string& name);

/// The clock reads "1.98 GHz; throttled: software power cap"; empty where NVIDIA's management library is missing.
std::string gpu_clock();
/// Lists "gpu", "multiprocessors", "memory", "driver", "runtime", "cuBLAS", "cuDNN". Throws Unavailable without a GPU.
std::map<std::string, std::string> cuda_versions();

}  // namespace mlsim::kernels
