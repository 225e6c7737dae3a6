#include "replay/execution/rank_step.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "calibrate/measure.hpp"

namespace mlsim::replay {

using namespace workloads;

namespace {

enum Lane { kCompute, kCommunication, kSent, kReceived, kLanes };

Lane lane_of(const StepNode& node, int stage) {
  if (!is_exchange(node)) return kCompute;
  if (node.kind == NodeKind::collective) return kCommunication;
  return node.role == stage ? kSent : kReceived;
}

}  // namespace

// The streams of one run share this state.
class RankStep::Run {
 public:
  Run(RankStep& step, StepExtent extent) : step_(step), extent_(extent), done_(step.plan_.graph.size()) {
    for (const Stream& stream : step.streams_)
      for (const StepVertex vertex : stream.nodes)
        if (!runs(stream)) done_[vertex] = true;
  }

  std::vector<ReplaySpan> spans() {
    std::vector<std::vector<ReplaySpan>> by_stream(step_.streams_.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t s = 1; s < by_stream.size(); ++s)
        if (runs(step_.streams_[s])) threads.emplace_back([&, s] { by_stream[s] = run(step_.streams_[s]); });
      if (runs(step_.streams_.front())) by_stream.front() = run(step_.streams_.front());
    }
    if (failure_) std::rethrow_exception(failure_);
    std::vector<ReplaySpan> all;
    for (const auto& spans : by_stream) all.insert(all.end(), spans.begin(), spans.end());
    return all;
  }

 private:
  bool runs(const Stream& stream) const {
    return extent_ == StepExtent::whole || stream.computes == (extent_ == StepExtent::kernels);
  }

  std::vector<ReplaySpan> run(const Stream& stream) {
    std::vector<ReplaySpan> spans;
    try {
      for (const StepVertex vertex : stream.nodes) {
        if (!wait_for_inputs(vertex)) break;
        ReplaySpan span{static_cast<int>(vertex), calibrate::steady_now(), {}};
        run_node(vertex);
        span.end = calibrate::steady_now();
        spans.push_back(span);
        tell([&] { done_[vertex] = true; });
      }
    } catch (const std::exception& e) {
      step_.failed_(e.what());
      tell([&] {
        if (!failure_) failure_ = std::current_exception();
      });
    }
    return spans;
  }

  void run_node(StepVertex vertex) {
    const StepNode& node = step_.plan_.graph[vertex];
    if (is_compute(node)) step_.kernels_.run(vertex);
    if (!is_exchange(node)) return;
    calibrate::Exchange& exchange = *step_.exchanges_.at(vertex);
    if (extent_ == StepExtent::exchanges) {
      exchange.run();
      return;
    }
    step_.kernels_.bring(vertex, exchange);
    exchange.run();
    step_.kernels_.take(vertex, exchange);
  }

  // Returns false where another stream has failed.
  bool wait_for_inputs(StepVertex vertex) {
    const StepGraph& graph = step_.plan_.graph;
    if (graph[vertex].role != step_.stage_) return true;  // it is received
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      if (failure_) return true;
      for (const StepVertex before : graph.predecessors(vertex))
        if (!done_[before]) return false;
      return true;
    });
    return !failure_;
  }

  template <class Change>
  void tell(Change change) {
    {
      const std::lock_guard lock(mutex_);
      change();
    }
    changed_.notify_all();
  }

  RankStep& step_;
  StepExtent extent_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> done_;
  std::exception_ptr failure_;
};

RankStep::RankStep(const ReplayPlan& plan, int stage, NodeKernels& kernels, const Exchanges& exchanges,
                   std::function<void(const std::string&)> failed)
    : plan_(plan),
      stage_(stage),
      kernels_(kernels),
      exchanges_(exchanges),
      failed_(std::move(failed)),
      streams_(kLanes) {
  streams_[kCompute].computes = true;
  for (StepVertex vertex = 0; vertex < plan.graph.size(); ++vertex) {
    const StepNode& node = plan.graph[vertex];
    if (takes_part(node, stage)) streams_[lane_of(node, stage)].nodes.push_back(vertex);
  }
}

std::vector<ReplaySpan> RankStep::run(StepExtent extent) { return Run(*this, extent).spans(); }

}  // namespace mlsim::replay
