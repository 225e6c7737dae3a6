// This file stands in place of the kernels where oneDNN or OpenBLAS was not found.
#include "core/text/errors.hpp"
#include "kernels/cpu/cpu_kernel.hpp"

namespace mlsim::kernels {
namespace {

[[noreturn]] void refuse() {
  throw Unavailable(
      "this build has no kernels for processors; to measure them: apt-get install libdnnl-dev libopenblas-pthread-dev, "
      "and build again");
}

}  // namespace

std::unique_ptr<Timed> cpu_kernel(const KernelKey&, int) { refuse(); }
std::unique_ptr<Timed> cpu_probe(const std::string&, int) { refuse(); }
std::map<std::string, std::string> cpu_versions() { return {}; }

}  // namespace mlsim::kernels
