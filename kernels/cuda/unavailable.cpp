#include "core/text/errors.hpp"
#include "kernels/cuda/cuda_catalogue.hpp"

namespace mlsim::kernels {
namespace {

[[noreturn]] void refuse() {
  throw Unavailable("this build has no CUDA; install the CUDA Toolkit, cuDNN and an NVIDIA driver, and build again");
}

}  // namespace

std::unique_ptr<Timed> cuda_kernel(const KernelKey&) { refuse(); }
std::unique_ptr<Timed> cuda_probe(const std::string&) { refuse(); }
std::string gpu_clock() { return {}; }
std::map<std::string, std::string> cuda_versions() { refuse(); }

}  // namespace mlsim::kernels
