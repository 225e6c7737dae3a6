#include "replay/pipeline/replayed_pipeline.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/quantile.hpp"
#include "replay_files.hpp"
#include "sim/step/even_step.hpp"
#include "sim/stragglers/closed_steps.hpp"

namespace mlsim::replay {
namespace {

Seconds median_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return Seconds(quantile(seconds, 0.5));
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

// One pipeline of the stages' healthy workers: the median of each operation over the data ranks but for `worker`.
std::vector<Seconds> healthy_durations(const PipelineSize& size, const PipelineGraph& all, const PipelineGraph& one,
                                       const PipelineStep& step, int worker) {
  const std::vector<Seconds> recorded = recorded_durations(all, step);
  std::vector<Seconds> healthy;
  for (const PipelineNode& node : one.nodes) {
    std::vector<double> times;
    for (std::size_t v = 0; v < recorded.size(); ++v) {
      const PipelineNode& other = all.nodes[v];
      if (other.what == node.what && other.op == node.op && other.micro_batch == node.micro_batch &&
          size.stage(other.worker) == node.worker && other.worker != worker)
        times.push_back(recorded[v].value);
    }
    // A collective is recorded once for its data ranks.
    if (times.empty())
      for (std::size_t v = 0; v < recorded.size(); ++v)
        if (all.nodes[v].what == node.what && all.nodes[v].op == node.op &&
            size.stage(all.nodes[v].worker) == node.worker)
          times.push_back(recorded[v].value);
    healthy.push_back(times.empty() ? Seconds(0) : median_of(std::move(times)));
  }
  return healthy;
}

}  // namespace

Seconds ReplayedPipeline::time(const std::vector<Seconds>& durations) const {
  Seconds first(std::numeric_limits<double>::infinity());
  for (std::size_t v = 0; v < durations.size(); ++v)
    if (graph_->nodes[v].what == PipelineNode::What::entry) first = min(first, durations[v]);
  return even_step_time(order_, durations) - first;
}

Seconds pipeline_formula_time(const PipelineSize& size, const PipelineStep& step) {
  return formula_time(ReplayedPipeline(size), step);
}

Seconds slow_rank_step_time(const PipelineSize& size, const PipelineStep& step, int worker, double slowdown) {
  const PipelineGraph all = pipeline_graph(size);
  const ReplayedPipeline one({1, size.stages, size.micro_batches});
  const std::vector<Seconds> durations = healthy_durations(size, all, one.graph(), step, worker);
  std::vector<int> roles;
  for (int w = 0; w < size.workers(); ++w) roles.push_back(size.stage(w));
  const auto groups = [&](AxisSet, int role) {
    std::vector<std::vector<int>> found;
    if (role >= 0) found.emplace_back();
    for (int d = 0; d < size.data_ranks; ++d) {
      if (role < 0) found.emplace_back();
      for (int s = 0; s < size.stages; ++s)
        if (role < 0 || s == role) found.back().push_back(size.worker(d, s));
    }
    return found;
  };
  const ClosedSteps steps(one.order(), durations, size.workers(), roles, groups);
  std::vector<RankDelay> ranks(static_cast<std::size_t>(size.workers()));
  ranks[static_cast<std::size_t>(worker)].slowdown = slowdown;
  return steps.end(ranks);
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
