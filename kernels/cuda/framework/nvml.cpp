#include "kernels/cuda/framework/nvml.hpp"

#include <dlfcn.h>

#include <cstdint>

#include "kernels/cuda/framework/clock_text.hpp"

namespace mlsim::kernels::cuda {
namespace {

// This much of NVML's C interface (nvml.h) is declared here, as no toolkit package has it by itself: status 0 is
// success.
using Handle = void*;
constexpr int kSmClock = 1;

class Nvml {
 public:
  Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    load("nvmlDeviceGetHandleByPciBusId_v2", handle_);
    load("nvmlDeviceGetClockInfo", clock_);
    load("nvmlDeviceGetCurrentClocksThrottleReasons", reasons_);
    int (*start)() = nullptr;
    load("nvmlInit_v2", start);
    ready_ = handle_ && clock_ && reasons_ && start && start() == 0;
  }

  std::string text(const std::string& bus_id) const {
    Handle device = nullptr;
    unsigned megahertz = 0;
    unsigned long long reasons = 0;
    if (!ready_ || handle_(bus_id.c_str(), &device) != 0) return {};
    if (clock_(device, kSmClock, &megahertz) != 0 || reasons_(device, &reasons) != 0) return {};
    return clock_text(megahertz, reasons);
  }

 private:
  template <class Function>
  void load(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
  }

  void* library_;  // kept till the program ends
  int (*handle_)(const char*, Handle*) = nullptr;
  int (*clock_)(Handle, int, unsigned*) = nullptr;
  int (*reasons_)(Handle, unsigned long long*) = nullptr;
  bool ready_ = false;
};

}  // namespace

std::string nvml_clock(const std::string& bus_id) {
  static const Nvml nvml;
  return nvml.text(bus_id);
}

}  // namespace mlsim::kernels::cuda
