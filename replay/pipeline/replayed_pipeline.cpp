#include "replay/pipeline/replayed_pipeline.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "replay_files.hpp"
#include "workloads/pipeline/schedule.hpp"

namespace mlsim::replay {
namespace {

using What = PipelineNode::What;
using After = workloads::Vertices;

class PipelineGraphBuilder {
 public:
  explicit PipelineGraphBuilder(const PipelineSize& size)
      : last_(static_cast<std::size_t>(size.workers())),
        forward_(last_.size(), Arrivals(static_cast<std::size_t>(size.micro_batches))),
        backward_(forward_) {
    graph_.size = size;
  }

  PipelineGraph graph() {
    for (int w = 0; w < graph_.size.workers(); ++w) {
      follow(w, What::entry, PipelineOp::params_all_gather, NodeKind::host_work);
      follow(w, What::op, PipelineOp::params_all_gather, NodeKind::collective);
    }
    for (int d = 0; d < graph_.size.data_ranks; ++d) add_passes(d);
    add_tail();
    return std::move(graph_);
  }

 private:
  using Arrivals = std::vector<std::optional<After>>;  // by micro-batch: what a pass waits for, once it is there

  StepVertex& last(int worker) { return last_[static_cast<std::size_t>(worker)]; }

  StepVertex add(StepNode node, const PipelineNode& is, const After& after) {
    node.role = is.worker;
    const StepVertex vertex = graph_.graph.add(std::move(node), after);
    graph_.nodes.push_back(is);
    return vertex;
  }

  // Adds the next thing that a worker does.
  void follow(int worker, What what, PipelineOp op, NodeKind kind, const After& also = {}, int micro_batch = 0) {
    StepNode node;
    node.kind = kind;
    node.name = name(op);
    if (kind == NodeKind::collective) node.axes = Axis::data;
    After after = also;
    if (what != What::entry) after.push_back(last(worker));
    last(worker) = add(std::move(node), {what, op, worker, micro_batch}, after);
  }

  StepVertex add_transfer(int to, const PipelineNode& is, StepVertex after) {
    StepNode node;
    node.kind = NodeKind::transfer;
    node.stream = Stream::exchange;
    node.collective = CollectiveKind::send_receive;
    node.name = name(is.op);
    node.peer = to;
    return add(std::move(node), is, {after});
  }

  void add_passes(int data_rank) {
    const PipelineSize& size = graph_.size;
    struct Progress {
      std::vector<PipelineTask> order;
      std::size_t done = 0;
    };
    std::vector<Progress> stages;
    for (int s = 0; s < size.stages; ++s)
      stages.push_back({pipeline_order({PipelineSchedule::one_f_one_b, size.stages, 1, size.micro_batches}, s), 0});
    for (auto& arrival : forward_[static_cast<std::size_t>(size.worker(data_rank, 0))]) arrival = After{};
    for (bool moved = true; moved;) {
      moved = false;
      for (int s = 0; s < size.stages; ++s) {
        auto& [order, done] = stages[static_cast<std::size_t>(s)];
        for (; done < order.size() && add_pass(data_rank, s, order[done]); ++done) moved = true;
      }
    }
  }

  // Returns false where the input that the pass waits for is not there yet.
  bool add_pass(int data_rank, int stage, const PipelineTask& task) {
    const int worker = graph_.size.worker(data_rank, stage);
    auto& arrivals = task.backward ? backward_ : forward_;
    const auto m = static_cast<std::size_t>(task.micro_batch);
    const auto& arrival = arrivals[static_cast<std::size_t>(worker)][m];
    if (!arrival) return false;
    follow(worker, What::op, task.backward ? PipelineOp::backward_compute : PipelineOp::forward_compute,
           NodeKind::kernel_sequence, *arrival, task.micro_batch);
    const bool turns = !task.backward && stage + 1 == graph_.size.stages;
    if (turns) backward_[static_cast<std::size_t>(worker)][m] = After{};
    if (turns || (task.backward && stage == 0)) return true;
    const int to = task.backward ? worker - 1 : worker + 1;
    const PipelineOp send = task.backward ? PipelineOp::backward_send : PipelineOp::forward_send;
    arrivals[static_cast<std::size_t>(to)][m] =
        After{add_transfer(to, {What::op, send, worker, task.micro_batch}, last(worker))};
    return true;
  }

  void add_tail() {
    const PipelineSize& size = graph_.size;
    std::vector<int> all;
    for (int w = 0; w < size.workers(); ++w) {
      all.push_back(w);
      follow(w, What::op, PipelineOp::layernorm_grads_all_reduce, NodeKind::collective);
    }
    for (int d = 0; d < size.data_ranks && size.stages > 1; ++d)
      meet({size.worker(d, 0), size.worker(d, size.stages - 1)}, What::op, PipelineOp::embedding_grads_all_reduce);
    for (int s = 0; s < size.stages; ++s) {
      std::vector<int> group;
      for (int d = 0; d < size.data_ranks; ++d) group.push_back(size.worker(d, s));
      meet(group, What::op, PipelineOp::grads_reduce_scatter);
    }
    meet(all, What::meeting, PipelineOp::optimizer_clip_main_grad);
    for (const PipelineOp op : {PipelineOp::optimizer_clip_main_grad, PipelineOp::optimizer})
      for (const int w : all) follow(w, What::op, op, NodeKind::kernel_sequence);
  }

  // A collective between roles is a meeting: all tell the first, which tells all.
  void meet(const std::vector<int>& workers, What what, PipelineOp op) {
    const int root = workers.front();
    After arrivals;
    for (const int w : workers)
      if (w != root) arrivals.push_back(add_transfer(root, {What::meeting, op, w, 0}, last(w)));
    follow(root, what, op, NodeKind::collective, arrivals);
    for (const int w : workers)
      if (w != root) last(w) = add_transfer(w, {What::meeting, op, root, 0}, last(root));
  }

  PipelineGraph graph_;
  std::vector<StepVertex> last_;              // by worker
  std::vector<Arrivals> forward_, backward_;  // by worker
};

// Returns the least time over the workers that ran the operation; 0 where none did.
Seconds least_time(const PipelineStep& step, PipelineOp op, const std::vector<int>& workers) {
  Seconds least(std::numeric_limits<double>::infinity());
  for (const int w : workers) {
    const auto& recorded = step.workers[static_cast<std::size_t>(w)].of(op);
    if (!recorded.empty() && recorded.front()) least = min(least, recorded.front()->duration);
  }
  return least < Seconds(std::numeric_limits<double>::infinity()) ? least : Seconds(0);
}

Seconds recorded_duration(const PipelineSize& size, const PipelineNode& node, const PipelineStep& step) {
  if (node.what == What::meeting) return Seconds(0);
  const WorkerOps& ops = step.workers[static_cast<std::size_t>(node.worker)];
  if (node.what == What::entry) return ops.begin();
  const auto other_end = [&](int worker, PipelineOp op) {
    return max(ops.duration(node.op, node.micro_batch),
               step.workers[static_cast<std::size_t>(worker)].duration(op, node.micro_batch));
  };
  std::vector<int> group;
  switch (node.op) {
    case PipelineOp::forward_send: return other_end(node.worker + 1, PipelineOp::forward_recv);
    case PipelineOp::backward_send: return other_end(node.worker - 1, PipelineOp::backward_recv);
    case PipelineOp::embedding_grads_all_reduce:  // of one size in all data ranks
      for (int w = 0; w < size.workers(); ++w) group.push_back(w);
      return least_time(step, node.op, group);
    case PipelineOp::grads_reduce_scatter:
      for (int d = 0; d < size.data_ranks; ++d) group.push_back(size.worker(d, size.stage(node.worker)));
      return least_time(step, node.op, group);
    default: return ops.duration(node.op, node.micro_batch);
  }
}

// Forward and backward of one micro-batch.
Seconds mean_pass_time(const PipelineSize& size, const WorkerOps& ops) {
  Seconds sum;
  for (int m = 0; m < size.micro_batches; ++m)
    sum += ops.duration(PipelineOp::forward_compute, m) + ops.duration(PipelineOp::backward_compute, m);
  return sum / size.micro_batches;
}

// Returns the step without its passes: what comes before and after them.
Seconds time_beside_passes(const ReplayedPipeline& pipeline, const PipelineStep& step) {
  std::vector<Seconds> durations = recorded_durations(pipeline.graph(), step);
  for (std::size_t v = 0; v < durations.size(); ++v) {
    const PipelineOp op = pipeline.graph().nodes[v].op;
    if (op >= PipelineOp::forward_compute && op <= PipelineOp::backward_recv) durations[v] = Seconds(0);
  }
  return pipeline.time(durations);
}

Seconds formula_time(const ReplayedPipeline& pipeline, const PipelineStep& step) {
  const PipelineSize& size = pipeline.graph().size;
  Seconds slowest;
  for (int d = 0; d < size.data_ranks; ++d) {
    Seconds sum, largest;
    for (int s = 0; s < size.stages; ++s) {
      const Seconds stage = mean_pass_time(size, step.workers[static_cast<std::size_t>(size.worker(d, s))]);
      sum += stage;
      largest = max(largest, stage);
    }
    slowest = max(slowest, sum + largest * (size.micro_batches - 1));
  }
  return slowest + time_beside_passes(pipeline, step);
}

}  // namespace

PipelineGraph pipeline_graph(const PipelineSize& size) { return PipelineGraphBuilder(size).graph(); }

std::vector<Seconds> recorded_durations(const PipelineGraph& graph, const PipelineStep& step) {
  std::vector<Seconds> durations;
  for (const PipelineNode& node : graph.nodes) durations.push_back(recorded_duration(graph.size, node, step));
  return durations;
}

Seconds ReplayedPipeline::time(const std::vector<Seconds>& durations) const {
  Seconds first(std::numeric_limits<double>::infinity());
  for (std::size_t v = 0; v < durations.size(); ++v)
    if (graph_->nodes[v].what == PipelineNode::What::entry) first = min(first, durations[v]);
  return even_step_time(order_, durations) - first;
}

std::vector<ReplayedStep> replayed_steps(const PipelineRecord& record, const std::string& run) {
  const ReplayedPipeline pipeline(record.size);
  std::vector<ReplayedStep> rows;
  for (const PipelineStep& step : record.steps)
    rows.push_back({run, step.number, step.time(), pipeline.time(recorded_durations(pipeline.graph(), step)),
                    formula_time(pipeline, step)});
  return rows;
}

std::vector<PublishedPipeline> published_pipelines() {
  std::vector<PublishedPipeline> found;
  for (const EmbeddedFile& file : replay_files())
    if (file.path.starts_with("llm_"))
      found.push_back({file.path.starts_with("llm_8_") ? "LLM on 8 accelerators" : "LLM on 64 accelerators",
                       parse_pipeline_record(file.text, std::string(file.path))});
  return found;
}

}  // namespace mlsim::replay
