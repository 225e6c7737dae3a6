#include "kernels/cuda/cuda_catalogue.hpp"

#include <cublasLt.h>
#include <cudnn.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "kernels/cuda/cudnn/convolution.hpp"
#include "kernels/cuda/cudnn/fused_launch.hpp"
#include "kernels/cuda/cudnn/pool.hpp"
#include "kernels/cuda/framework/driver_sentence.hpp"
#include "kernels/cuda/operations/cuda_operation.hpp"
#include "kernels/cuda/operations/kernel_operations.hpp"
#include "kernels/cuda/operations/product.hpp"
#include "kernels/cuda/probes/machine_probe.hpp"
#include "kernels/probes.hpp"

namespace mlsim::kernels {
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
    return cuda::clock_text(megahertz, reasons);
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

// Asks NVIDIA's management library, loaded at run time, for the clock and throttle reasons of the GPU with this PCI bus
// id ("0000:17:00.0"), as clock_text writes them; empty where the library or the answer is missing.
std::string nvml_clock(const std::string& bus_id) {
  static const Nvml nvml;
  return nvml.text(bus_id);
}

}  // namespace

namespace cuda {
namespace {

using Parts = std::vector<std::unique_ptr<TimedLaunch>>;

template <class Quantity>
Quantity sum_of(const Parts& parts, Quantity (TimedLaunch::*quantity)() const) {
  Quantity sum;
  for (const auto& part : parts) sum += (part.get()->*quantity)();
  return sum;
}

// A sequence runs kernels one after the other.
class Sequence : public TimedLaunch {
 public:
  explicit Sequence(Parts parts)
      : TimedLaunch(sum_of(parts, &TimedLaunch::bytes), sum_of(parts, &TimedLaunch::flop)), parts_(std::move(parts)) {}
  void launch(cudaStream_t stream) override {
    for (const auto& part : parts_) part->launch(stream);
  }
  double largest_error() override {
    double error = 0;
    for (const auto& part : parts_) error = std::max(error, part->largest_error());
    return error;
  }

 private:
  Parts parts_;
};

// Returns the part of a kernel that a library does; null where our own operations do all of it.
std::unique_ptr<TimedLaunch> library_part(const KernelKey& key) {
  switch (key.op) {
    case KernelOp::conv_forward:
    case KernelOp::conv_input_gradient:
    case KernelOp::conv_weight_gradient:
      return timed_convolution(convolution_of(key), direction_of(key.op), key.precision);
    case KernelOp::dense_forward:
    case KernelOp::dense_input_gradient:
    case KernelOp::dense_weight_gradient:
    case KernelOp::matmul: return timed_product(product_of(key));
    case KernelOp::max_pool_forward:
    case KernelOp::max_pool_backward:
    case KernelOp::average_pool_forward:
    case KernelOp::average_pool_backward: return timed_pool(key);
    case KernelOp::batch_norm_forward:
    case KernelOp::batch_norm_backward: return timed_batch_norm(key);
    default: return nullptr;
  }
}

std::unique_ptr<TimedLaunch> copy_kernel(Precision precision, std::int64_t bytes) {
  const std::int64_t elements = std::max<std::int64_t>(1, bytes / size_of(storage_format(precision)));
  return timed_operation({"stream", true, precision, {elements, elements, 1}});
}

Precision precision_of(const ProbeName& name) { return name.precision.value_or(Precision::fp32); }

std::unique_ptr<TimedLaunch> product(const ProbeName& name, Epilogue epilogue) {
  const std::int64_t n = name.sizes.size() == 1 ? name.sizes[0] : name.sizes[1];
  const std::int64_t k = name.sizes.size() == 1 ? name.sizes[0] : name.sizes[2];
  return timed_product({name.sizes[0], n, k, 1, false, true, precision_of(name), epilogue}, name.variant != "unfused");
}

std::unique_ptr<TimedLaunch> overlap(const ProbeName& name) {
  auto main =
      name.kind == "overlap_gemm" ? product(name, Epilogue::none) : copy_kernel(precision_of(name), name.sizes[0]);
  if (name.variant == "alone") return main;
  constexpr std::size_t kBeside = std::size_t{64} << 20;  // a bucket of gradients
  if (name.variant == "beside_copy") {
    return timed_beside(std::move(main), timed_host_copy(CopyDirection::device_to_host, kBeside));
  }
  return timed_beside(std::move(main), copy_kernel(Precision::fp32, kBeside));
}

std::unique_ptr<TimedLaunch> convolution(const ProbeName& name, bool fused) {
  const auto& s = name.sizes;
  const KernelKey key{KernelOp::conv_forward, precision_of(name),
                      ConvolutionShape{s[0], s[1], s[2], s[3], s[4], s[5], s[6]}};
  const ImageWindows shape = convolution_of(key);
  if (name.kind == "conv_bias_relu") return timed_convolution_bias_relu(shape, precision_of(name), fused);
  return timed_fused_convolution(fused_convolution(name.kind, shape, precision_of(name)), precision_of(name), fused);
}

std::unique_ptr<Timed> probe_of(const ProbeName& name) {
  const bool fused = name.variant == "fused";
  if (name.kind == "copy") return copy_kernel(precision_of(name), name.sizes[0]);
  if (name.kind == "gemm") return product(name, Epilogue::none);
  if (name.kind == "gemm_bias_relu") return product(name, Epilogue::bias_relu);
  if (name.kind == "gemm_bias_gelu") return product(name, Epilogue::bias_gelu);
  if (name.kind == "launch") return timed_empty_kernels(name.variant == "graph");
  if (name.kind == "host_to_device" || name.kind == "device_to_host") {
    const auto direction =
        name.kind == "host_to_device" ? CopyDirection::host_to_device : CopyDirection::device_to_host;
    return timed_host_copy(direction, static_cast<std::size_t>(name.sizes[0]));
  }
  if (name.kind.starts_with("overlap_")) return overlap(name);
  if (name.kind.starts_with("conv_")) return convolution(name, fused);
  return timed_operation({name.kind, fused, precision_of(name), name.sizes});
}

}  // namespace
}  // namespace cuda

std::unique_ptr<Timed> cuda_kernel(const KernelKey& key) {
  cuda::Device::get();
  cuda::Parts parts;
  if (auto part = cuda::library_part(key)) parts.push_back(std::move(part));
  for (const auto& name : cuda::operations_of(key)) parts.push_back(cuda::timed_operation(name));
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<cuda::Sequence>(std::move(parts));
}

std::unique_ptr<Timed> cuda_probe(const std::string& name) {
  const ProbeName probe = cuda::parse_known_probe(name);
  cuda::Device::get();
  return cuda::probe_of(probe);
}

std::string gpu_clock() {
  char bus_id[32] = {};
  cuda::Device::get();
  cuda::check(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, 0), "asking for the PCI bus id");
  return nvml_clock(bus_id);
}

std::map<std::string, std::string> cuda_versions() {
  const cuda::Device& device = cuda::Device::get();
  const auto& gpu = device.properties();
  int driver = 0, runtime = 0;
  cuda::check(cudaDriverGetVersion(&driver), "asking for versions");
  cuda::check(cudaRuntimeGetVersion(&runtime), "asking for versions");
  const std::size_t blas = cublasLtGetVersion(), dnn = cudnnGetVersion();
  const auto dotted = [](std::size_t v, std::size_t major, std::size_t minor) {
    return fmt::format("{}.{}.{}", v / major, v % major / minor, v % minor);
  };
  return {{"gpu", gpu.name},
          {"multiprocessors", std::to_string(device.multiprocessors())},
          {"memory", to_text(Bytes(double(gpu.totalGlobalMem)))},
          {"compute capability", fmt::format("{}.{}", gpu.major, gpu.minor)},
          {"driver", "CUDA " + cuda::version_text(driver)},
          {"runtime", "CUDA " + cuda::version_text(runtime)},
          {"cuBLAS", dotted(blas, 10000, 100)},
          // cuDNN 9 counts major * 10000, version 8 major * 1000 (cudnn_version.h).
          {"cuDNN", dnn >= 90000 ? dotted(dnn, 10000, 100) : dotted(dnn, 1000, 100)}};
}

}  // namespace mlsim::kernels
