#include "kernels/cuda/cudnn/fused_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/text/errors.hpp"
#include "kernels/cuda/cudnn/convolution.hpp"
#include "kernels/cuda/cudnn/cudnn_plan.hpp"
#include "kernels/cuda/cudnn/operation_graph.hpp"
#include "kernels/cuda/operations/cuda_operation.hpp"
#include "kernels/cuda/operations/product_layout.hpp"

namespace mlsim::kernels::cuda {
namespace {

// Plans are tried in the heuristics' order; one that is compiled for it takes 0.2 to 4 s to be made.
constexpr std::size_t kPlans = 4;
constexpr int kTrials = 3;

// Each tensor of the graph has one array; those of virtual tensors are empty.
std::vector<Array> arrays_of(const OperationGraph& graph) {
  std::vector<Array> arrays;
  for (const auto& tensor : graph.tensors) {
    arrays.push_back({tensor.format, tensor.is_virtual ? 0 : tensor.elements(), -1, 1, false, {}});
  }
  return arrays;
}

// A `GraphLaunch` has the arrays of a graph's tensors, and checks what a launch writes to them.
class GraphLaunch : public TimedLaunch {
 public:
  GraphLaunch(const OperationGraph& graph, Bytes bytes)
      : TimedLaunch(bytes, convolution_flop(graph.windows)), graph_(graph), specs_(arrays_of(graph)), arrays_(specs_) {}

  double largest_error() override {
    const cudaStream_t stream = Device::get().stream();
    launch(stream);
    TensorValues known = inputs();
    double error = 0;
    for (const auto& node : graph_.nodes) {
      for (const int tensor : node.outputs) {
        if (graph_.tensor(tensor).is_virtual) continue;
        error = std::max(error, error_of(tensor, known, stream));
        // Further sums take what was really written.
        if (graph_.is_read(tensor)) known[tensor] = written(tensor, stream);
      }
    }
    return error;
  }

 protected:
  void* pointer(int tensor) const { return pointers().at(tensor); }
  const std::vector<void*>& pointers() const { return arrays_.pointers().at; }

 private:
  const Array& spec(int tensor) const { return specs_[tensor]; }

  TensorValues inputs() const {
    TensorValues values;
    for (int tensor = 0; tensor < static_cast<int>(specs_.size()); ++tensor) {
      if (graph_.writer(tensor) != nullptr) continue;
      values[tensor] = [this, tensor](std::int64_t i) { return input_value(spec(tensor), tensor, i); };
    }
    return values;
  }
  ElementAt written(int tensor, cudaStream_t stream) const {
    return [values = contents(pointer(tensor), spec(tensor), stream)](std::int64_t i) { return values[i]; };
  }

  double error_of(int tensor, const TensorValues& known, cudaStream_t stream) const {
    const auto indices = spread_indices(spec(tensor).elements, checked_count(graph_depth(graph_, tensor)));
    std::vector<double> want;
    for (const std::int64_t i : indices) want.push_back(graph_element(graph_, tensor, i, known));
    return largest_difference(elements_at(pointer(tensor), spec(tensor), indices, stream), want);
  }

  OperationGraph graph_;
  std::vector<Array> specs_;
  DeviceArrays arrays_;
};

class TimedFused : public GraphLaunch {
 public:
  TimedFused(const FusedConvolution& convolution, Precision precision)
      : GraphLaunch(convolution.graph, graph_bytes(convolution.graph)),
        workspace_(workspace_bytes()),
        graph_(convolution.graph, {cudnn(Device::get().stream()), nullptr}),
        pack_(graph_.variant_pack(pointers(), workspace_.get())),
        plans_(find_plans(graph_, plan_offers(graph_, precision), workspace_.bytes(), kPlans)) {
    if (plans_.ready.empty()) {
      const std::string why = plans_.refusal.empty() ? "it offers none" : plans_.refusal;
      throw Unavailable(fmt::format("cuDNN has no kernel that does all of this convolution: {}", why));
    }
    choose();
  }

  void launch(cudaStream_t stream) override { run(plans_.ready[best_], stream); }

 private:
  void run(const CudnnPlan& plan, cudaStream_t stream) const {
    check(cudnnBackendExecute(cudnn(stream), plan.plan.get(), pack_.get()), "running a fused convolution");
  }

  // Chooses the plan with the least time of a few runs.
  void choose() {
    Seconds least(1e30);
    for (std::size_t i = 0; i < plans_.ready.size(); ++i) {
      const Seconds time = time_of(plans_.ready[i]);
      if (time < least) least = time, best_ = i;
    }
  }

  Seconds time_of(const CudnnPlan& plan) const {
    const cudaStream_t stream = Device::get().stream();
    const Event begin, end;
    run(plan, stream);
    check(cudaEventRecord(begin.get(), stream), "recording an event");
    for (int i = 0; i < kTrials; ++i) run(plan, stream);
    check(cudaEventRecord(end.get(), stream), "recording an event");
    check(cudaEventSynchronize(end.get()), "running a fused convolution");
    float elapsed = 0;
    check(cudaEventElapsedTime(&elapsed, begin.get(), end.get()), "reading an event");
    return milliseconds(elapsed / kTrials);
  }

  DeviceMemory workspace_;
  CudnnGraph graph_;
  BackendDescriptor pack_;
  CudnnPlans plans_;
  std::size_t best_ = 0;
};

CudaOperation epilogue_of(const OperationName& name) {
  for (const auto family : {cuda_pointwise, cuda_row}) {
    if (auto operation = family(name)) return *std::move(operation);
  }
  throw std::logic_error("no epilogue has the name " + name.kind);
}

class TimedTwin : public GraphLaunch {
 public:
  TimedTwin(const FusedConvolution& fused, Precision precision, CudaOperation epilogue)
      : GraphLaunch(fused.graph, convolution_bytes(fused.graph.windows, precision) + epilogue.bytes),
        epilogue_(std::move(epilogue)),
        convolution_(fused.graph.windows, fused.direction, precision, operands(fused)) {
    for (const int tensor : fused.operands) pointers_.at.push_back(pointer(tensor));
  }

  void launch(cudaStream_t stream) override {
    convolution_.run(stream);
    run_operation(epilogue_, pointers_, stream);
  }

 private:
  // The first node is the convolution, and reads an image or a gradient, and weights.
  ConvolutionOperands operands(const FusedConvolution& fused) const {
    const GraphNode& node = fused.graph.nodes.front();
    void *const read = pointer(node.inputs[0]), *const weights = pointer(node.inputs[1]);
    void* const convolved = pointer(fused.convolved);
    if (fused.direction == Direction::forward) return {read, weights, convolved};
    return {convolved, weights, read};
  }

  CudaOperation epilogue_;
  LegacyConvolution convolution_;
  Pointers pointers_;
};

}  // namespace

std::unique_ptr<TimedLaunch> timed_fused_convolution(const FusedConvolution& convolution, Precision precision,
                                                     bool fused) {
  if (precision == Precision::fp8) throw Unavailable("convolutions that are fused here have no fp8");
  if (fused) return std::make_unique<TimedFused>(convolution, precision);
  return std::make_unique<TimedTwin>(convolution, precision, epilogue_of(convolution.epilogue));
}

}  // namespace mlsim::kernels::cuda
