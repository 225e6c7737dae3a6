#include "kernels/cuda/operations/product.hpp"

#include <cublasLt.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/text/errors.hpp"
#include "kernels/cuda/operations/cuda_operation.hpp"

namespace mlsim::kernels::cuda {
namespace {

constexpr std::size_t kWorkspace = std::size_t{32} << 20;  // what cuBLAS itself takes on Hopper
constexpr int kAlgorithms = 8;  // tried in the heuristics' order; the best is among the first
constexpr int kTrials = 3;
constexpr int kFp8Architecture = 89;  // Ada and later
constexpr int kBf16Architecture = 80;

void check(cublasStatus_t status, const char* doing) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const std::string text = fmt::format("cuBLASLt: {}: {}", doing, cublasLtGetStatusString(status));
  if (status == CUBLAS_STATUS_EXECUTION_FAILED || status == CUBLAS_STATUS_INTERNAL_ERROR) throw DeviceLost(text);
  throw Unavailable(text);
}

// A `Descriptor` is one of the library's, destroyed in the end.
template <class Handle, auto kDestroy>
class Descriptor {
 public:
  Descriptor() = default;
  ~Descriptor() {
    if (handle_ != nullptr) kDestroy(handle_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Handle* address() { return &handle_; }
  Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
};
using Layout = Descriptor<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Matmul = Descriptor<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Preference = Descriptor<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

cublasLtHandle_t library() {
  static const cublasLtHandle_t handle = [] {
    cublasLtHandle_t made = nullptr;
    check(cublasLtCreate(&made), "starting");
    return made;
  }();
  return handle;
}

cudaDataType_t type_of(Format format) {
  switch (format) {
    case Format::fp16: return CUDA_R_16F;
    case Format::bf16: return CUDA_R_16BF;
    case Format::fp8: return CUDA_R_8F_E4M3;
    default: return CUDA_R_32F;
  }
}

void require(Precision precision) {
  const int architecture = Device::get().architecture();
  const int needed = precision == Precision::fp8                                    ? kFp8Architecture
                     : precision == Precision::bf16 || precision == Precision::tf32 ? kBf16Architecture
                                                                                    : 0;
  if (architecture >= needed) return;
  throw Unavailable(fmt::format("{} products need compute capability {}.{}; this GPU has {}.{}", name(precision),
                                needed / 10, needed % 10, architecture / 10, architecture % 10));
}

std::vector<Array> arrays_of(const ProductLayout& s) {
  const Format operand = operand_format(s.precision), stored = storage_format(s.precision);
  return {{operand, s.count * s.m * s.k, -1, 1, false, {}},
          {operand, s.count * s.k * s.n, -1, 1, false, {}},
          {stored, s.count * s.m * s.n, -1, 1, true, {}},
          {stored, s.n, -1, 1, false, {}}};
}
enum ArrayNumber { kA, kB, kResult, kBias };

class TimedProduct : public TimedLaunch {
 public:
  TimedProduct(const ProductLayout& shape, bool fused)
      : TimedLaunch(shape.bytes(), shape.flop()),
        shape_(shape),
        specs_(arrays_of(shape)),
        arrays_(specs_),
        workspace_(kWorkspace) {
    describe(fused);
    choose();
    if (!fused && shape.epilogue != Epilogue::none) {
      const std::string kind = shape.epilogue == Epilogue::bias_gelu ? "bias_gelu" : "bias_relu";
      epilogue_ = cuda_pointwise({kind, false, shape.precision, {shape.m, shape.n}});
    }
  }

  void launch(cudaStream_t stream) override {
    run(best_, stream);
    if (epilogue_) run_operation(*epilogue_, {{pointer(kResult), pointer(kBias), pointer(kResult)}}, stream);
  }

  double largest_error() override {
    const cudaStream_t stream = Device::get().stream();
    launch(stream);
    const auto indices = spread_indices(specs_[kResult].elements, checked_count(double(shape_.k)));
    const auto got = elements_at(pointer(kResult), specs_[kResult], indices, stream);
    std::vector<double> want;
    for (const std::int64_t i : indices) {
      const std::int64_t product = i / (shape_.m * shape_.n), row = i / shape_.n % shape_.m, column = i % shape_.n;
      want.push_back(product_element(shape_, product, row, column, specs_[kA], kA, specs_[kB], kB,
                                     input_value(specs_[kBias], kBias, column)));
    }
    return largest_difference(got, want);
  }

 private:
  void* pointer(ArrayNumber number) const { return arrays_.pointers().at[number]; }

  // The library's matrices lie column by column, so it is asked for D^T = B^T A^T: our B is its first operand, and a
  // matrix that is row by row and not transposed for us is what it wants untransposed.
  void describe(bool fused) {
    const ProductLayout& s = shape_;
    const auto compute = s.precision == Precision::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    check(cublasLtMatmulDescCreate(matmul_.address(), compute, CUDA_R_32F), "describing a product");
    set(CUBLASLT_MATMUL_DESC_TRANSA, s.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, s.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    if (fused && s.epilogue != Epilogue::none) {
      set(CUBLASLT_MATMUL_DESC_EPILOGUE,
          s.epilogue == Epilogue::bias_relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_GELU_BIAS);
      set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(pointer(kBias)));
    }
    lay_out(first_, kB, s.b_transposed ? s.k : s.n, s.b_transposed ? s.n : s.k);
    lay_out(second_, kA, s.a_transposed ? s.m : s.k, s.a_transposed ? s.k : s.m);
    lay_out(result_, kResult, s.n, s.m);
  }

  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, const Value& value) {
    check(cublasLtMatmulDescSetAttribute(matmul_.get(), attribute, &value, sizeof value), "describing a product");
  }

  void lay_out(Layout& layout, ArrayNumber array, std::int64_t rows, std::int64_t columns) {
    check(cublasLtMatrixLayoutCreate(layout.address(), type_of(specs_[array].format), static_cast<std::uint64_t>(rows),
                                     static_cast<std::uint64_t>(columns), rows),
          "describing a matrix");
    const auto count = static_cast<std::int32_t>(shape_.count);
    const std::int64_t stride = rows * columns;
    check(cublasLtMatrixLayoutSetAttribute(layout.get(), CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
          "describing a matrix");
    check(cublasLtMatrixLayoutSetAttribute(layout.get(), CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                           sizeof stride),
          "describing a matrix");
  }

  // The algorithm is that one of the heuristics' which takes the least time of a few runs.
  void choose() {
    Preference preference;
    check(cublasLtMatmulPreferenceCreate(preference.address()), "describing a workspace");
    check(cublasLtMatmulPreferenceSetAttribute(preference.get(), CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace,
                                               sizeof kWorkspace),
          "describing a workspace");
    std::vector<cublasLtMatmulHeuristicResult_t> offers(kAlgorithms);
    int found = 0;
    const auto status =
        cublasLtMatmulAlgoGetHeuristic(library(), matmul_.get(), first_.get(), second_.get(), result_.get(),
                                       result_.get(), preference.get(), kAlgorithms, offers.data(), &found);
    if (status != CUBLAS_STATUS_SUCCESS || found == 0) {
      throw Unavailable(fmt::format("cuBLASLt has no {} product of {} x {} x {}", name(shape_.precision), shape_.m,
                                    shape_.n, shape_.k));
    }
    best_ = offers[0].algo;
    Seconds least(1e30);
    for (int i = 0; i < found; ++i) {
      const auto candidate = offers[i];
      if (candidate.state != CUBLAS_STATUS_SUCCESS) continue;
      const Seconds time = time_of(candidate.algo);
      if (time < least) least = time, best_ = candidate.algo;
    }
  }

  Seconds time_of(const cublasLtMatmulAlgo_t& algorithm) {
    const cudaStream_t stream = Device::get().stream();
    const Event begin, end;
    run(algorithm, stream);
    cuda::check(cudaEventRecord(begin.get(), stream), "recording an event");
    for (int i = 0; i < kTrials; ++i) run(algorithm, stream);
    cuda::check(cudaEventRecord(end.get(), stream), "recording an event");
    cuda::check(cudaEventSynchronize(end.get()), "running a product");
    float elapsed = 0;
    cuda::check(cudaEventElapsedTime(&elapsed, begin.get(), end.get()), "reading an event");
    return milliseconds(elapsed / kTrials);
  }

  void run(const cublasLtMatmulAlgo_t& algorithm, cudaStream_t stream) {
    const float one = 1, none = 0;
    check(cublasLtMatmul(library(), matmul_.get(), &one, pointer(kB), first_.get(), pointer(kA), second_.get(), &none,
                         pointer(kResult), result_.get(), pointer(kResult), result_.get(), &algorithm, workspace_.get(),
                         workspace_.bytes(), stream),
          "running a product");
  }

  ProductLayout shape_;
  std::vector<Array> specs_;
  DeviceArrays arrays_;
  DeviceMemory workspace_;
  Matmul matmul_;
  Layout first_, second_, result_;
  cublasLtMatmulAlgo_t best_{};
  std::optional<CudaOperation> epilogue_;
};

}  // namespace

std::unique_ptr<TimedLaunch> timed_product(const ProductLayout& shape, bool fused) {
  require(shape.precision);
  return std::make_unique<TimedProduct>(shape, fused);
}

}  // namespace mlsim::kernels::cuda
