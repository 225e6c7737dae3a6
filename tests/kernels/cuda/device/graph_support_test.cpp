// Graphs of fused convolutions as cuDNN itself sees them. It plans for a GPU of which it only knows the properties, so
// that these tests need the library and no GPU.
#include "tests/kernels/cuda/device/graph_support.hpp"

#include <dlfcn.h>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "kernels/cuda/cudnn/fused_convolution.hpp"

// Of the leak sanitizer: cuDNN loads and unloads a compiler that leaves memory behind.
extern "C" int __lsan_is_turned_off() { return 1; }  // NOLINT: its name is given

namespace mlsim::kernels::cuda {
namespace {

// H100 SXM5: NVIDIA's data sheet and the limits of compute capability 9.0 (CUDA Programming Guide, technical
// specifications).
constexpr const char* kH100 = R"({
  "deviceVer": 900, "multiProcessorCount": 132, "warpSize": 32, "maxSharedMemoryPerBlock": 49152,
  "maxSharedMemoryPerBlockOptin": 232448, "reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536,
  "maxCtasPerSM": 32, "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048, "regsPerBlock": 65536,
  "totalGlobalMem": 85000000000, "smClockRateKHz": 1980000, "l2CacheSize": 52428800, "maxBlockSize": [1024, 1024, 64],
  "memClockRateKHz": 2619000, "maxGridSize": [2147483647, 65535, 65535], "supportCoopLaunch": 1, "pciDeviceId": 0,
  "isTccDriver": 0, "cudaDeviceId": 0, "driverVer": 13000, "deviceName": "NVIDIA H100 80GB HBM3"})";

const ImageWindows kShape{64, 64, 56, 56, 64, 3, 3, 1, 1, 1, false};
const std::vector<std::string> kKinds{"conv_norm_relu_add", "conv_statistics", "conv_input_gradient_relu"};

OperationGraph graph_of(const std::string& kind, Precision precision, const ImageWindows& shape = kShape) {
  return fused_convolution(kind, shape, precision).graph;
}

// Where the library cannot plan for another GPU the test says so and ends.
bool can_plan() {
  try {
    offered_kernels(graph_of("conv_statistics", Precision::fp16), Precision::fp16, kH100);
    return true;
  } catch (const Unavailable& e) {
    WARN("skipped: " << e.what());
    return false;
  }
}

// The driver loads the kernels that are compiled for a graph; without one the toolkit's stand-in loads none, and cuDNN
// offers them all the same. Kept open.
bool has_driver() {
  for (const char* const driver : {"libcuda.so.1", MLSIM_CUDA_STUBS "/libcuda.so"}) {
    if (dlopen(driver, RTLD_NOW) != nullptr) return true;
  }
  WARN("skipped: neither libcuda.so.1 nor the CUDA Toolkit's stand-in for it is installed");
  return false;
}

}  // namespace

TEST_CASE("cuDNN takes the descriptors of every fused convolution") {
  const ImageWindows odd{2, 3, 7, 5, 10, 3, 1, 2, 2, 1, false};
  for (const auto& kind : kKinds) {
    for (const Precision precision : {Precision::fp32, Precision::fp16, Precision::bf16}) {
      INFO(kind << " " << name(precision));
      CHECK_NOTHROW(describe_graph(graph_of(kind, precision)));
      CHECK_NOTHROW(describe_graph(graph_of(kind, precision, odd)));
    }
  }
}

TEST_CASE("cuDNN refuses a graph that is none, in a sentence") {
  OperationGraph graph = graph_of("conv_norm_relu_add", Precision::fp16);
  graph.tensors[1].dims[1] = 63;  // weights of other channels than the image's
  CHECK_THROWS_WITH(describe_graph(graph), Catch::Matchers::ContainsSubstring("cuDNN: describing a convolution"));
}

TEST_CASE("cuDNN has a kernel of a convolution with statistics for an H100") {
  if (!can_plan()) return;
  const OperationGraph graph = graph_of("conv_statistics", Precision::fp16);
  CHECK(offered_kernels(graph, Precision::fp16, kH100) > 0);
  CHECK(first_kernel_refusal(graph, Precision::fp16, kH100).empty());
}

TEST_CASE("cuDNN offers kernels of every fused convolution for an H100") {
  if (!has_driver() || !can_plan()) return;
  for (const auto& kind : kKinds) {
    for (const Precision precision : {Precision::tf32, Precision::fp16, Precision::bf16}) {
      INFO(kind << " " << name(precision));
      CHECK(offered_kernels(graph_of(kind, precision), precision, kH100) > 0);
    }
  }
}

TEST_CASE("in fp32 no kernel is taken that rounds factors to TF32") {
  if (!has_driver() || !can_plan()) return;
  const OperationGraph graph = graph_of("conv_norm_relu_add", Precision::fp32);
  CHECK(offered_kernels(graph, Precision::fp32, kH100) < offered_kernels(graph, Precision::tf32, kH100));
}

// As far as it goes without an H100: the library compiles the kernel, and the driver does not load it.
TEST_CASE("cuDNN compiles a convolution with folded normalisation and residual into one kernel") {
  if (!has_driver() || !can_plan()) return;
  const std::string refusal =
      first_kernel_refusal(graph_of("conv_norm_relu_add", Precision::fp16), Precision::fp16, kH100);
  if (!refusal.empty()) CHECK_THAT(refusal, Catch::Matchers::ContainsSubstring("EXECUTION_FAILED_CUDA_DRIVER"));
}

}  // namespace mlsim::kernels::cuda
