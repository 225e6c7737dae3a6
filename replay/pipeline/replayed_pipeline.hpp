// A ReplayedPipeline is a recorded pipeline's step, simulated from the times of its operations.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "replay/pipeline/pipeline_record.hpp"
#include "sim/step/step_order.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::replay {

/// A PipelineNode says what a node of the graph is. Every worker is a role of its own.
struct PipelineNode {
  enum class What { entry, op, meeting };  // a worker's begin; an operation; workers that wait for one another
  What what = What::op;
  PipelineOp op = PipelineOp::forward_compute;
  int worker = 0, micro_batch = 0;
};

struct PipelineGraph {
  PipelineSize size;
  StepGraph graph;
  std::vector<PipelineNode> nodes;  // by vertex
};

/// Returns a recorded pipeline's step graph, the passes by mlsim's own 1F1B, and what surrounds them: parameters are
/// gathered, micro-batches go forward and backward by 1F1B, each behind its transfer; then layer norms' gradients,
/// those of embeddings between the first and the last stage, the reduce-scatter between the data ranks of a stage, and,
/// once all workers have met for the norm of the gradients, the update.
PipelineGraph pipeline_graph(const PipelineSize& size);

/// Returns the recorded time of each vertex in a step of the graph's size. A collective takes the least of its ranks'
/// times, since those of the others have waiting in them; a transfer the longer of its two ends' times.
std::vector<Seconds> recorded_durations(const PipelineGraph& graph, const PipelineStep& step);

/// The simulation goes event by event: every operation runs as soon as what it waits for has ended.
class ReplayedPipeline {
 public:
  explicit ReplayedPipeline(const PipelineSize& size)
      : graph_(std::make_unique<PipelineGraph>(pipeline_graph(size))), order_(graph_->graph) {}

  const PipelineGraph& graph() const { return *graph_; }
  const StepOrder& order() const { return order_; }
  /// Returns the time from the first operation's begin to the last one's end, with a time for each vertex.
  Seconds time(const std::vector<Seconds>& durations) const;

 private:
  std::unique_ptr<PipelineGraph> graph_;  // the order points to it
  StepOrder order_;
};

/// A row of "real traces": a recorded step beside what is simulated of it.
struct ReplayedStep {
  std::string run;  // "LLM on 64 accelerators"
  std::int64_t step = 0;
  Seconds recorded, simulated;
  /// Closed form: what comes before and after the passes, the sum of the stages and (micro-batches - 1) times the
  /// largest, a stage's time being that of one micro-batch forward and backward; of the slowest data rank (Narayanan et
  /// al., arXiv:2104.04473, section 2.2.1, for stages that differ).
  Seconds formula;
  double error() const { return simulated / recorded - 1; }
};

/// Replays all steps of a record.
std::vector<ReplayedStep> replayed_steps(const PipelineRecord& record, const std::string& run);

/// A PublishedPipeline is a record that comes with mlsim.
struct PublishedPipeline {
  std::string name;  // "LLM on 64 accelerators"
  PipelineRecord record;
};
/// Reads replay/recorded/llm_*.csv, whose first lines say from where.
std::vector<PublishedPipeline> published_pipelines();

}  // namespace mlsim::replay
