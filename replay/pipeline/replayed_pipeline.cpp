#include "replay/pipeline/replayed_pipeline.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "replay_files.hpp"
#include "sim/step/step_order.hpp"

namespace mlsim::replay {
namespace {

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
