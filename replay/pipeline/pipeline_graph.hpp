// A pipeline graph is a recorded pipeline's step graph: the passes by mlsim's own 1F1B, and what surrounds them.
#pragma once

#include <vector>

#include "replay/pipeline/pipeline_record.hpp"
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

/// Parameters are gathered, micro-batches go forward and backward by 1F1B, each behind its transfer; then layer norms'
/// gradients, those of embeddings between the first and the last stage, the reduce-scatter between the data ranks of a
/// stage, and, once all workers have met for the norm of the gradients, the update.
PipelineGraph pipeline_graph(const PipelineSize& size);

/// Returns the recorded time of each vertex in a step of the graph's size. A collective takes the least of its ranks'
/// times, since those of the others have waiting in them; a transfer the longer of its two ends' times.
std::vector<Seconds> recorded_durations(const PipelineGraph& graph, const PipelineStep& step);

}  // namespace mlsim::replay
