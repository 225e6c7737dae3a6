// A PipelineSchedule says in which order the stages of a pipeline run the passes of their micro-batches.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/words.hpp"
#include "core/units.hpp"

namespace mlsim::workloads {

/// The schedules order passes so:
/// gpipe        all forward passes, then all backward passes, last micro-batch first (Huang et al., arXiv:1811.06965)
/// 1f1b         forward and backward passes in turn once the pipe is full (Narayanan et al., PipeDream, SOSP 2019; with
///              a flush at the end of each step as in Megatron-LM, arXiv:2104.04473)
/// interleaved  1f1b with several chunks of layers on each stage (arXiv:2104.04473, section 2.2.2)
enum class PipelineSchedule : std::uint8_t { gpipe, one_f_one_b, interleaved };
const Words<PipelineSchedule>& words(PipelineSchedule);

/// A pipeline has `stages` stages, each with `chunks` chunks of layers; chunk c of stage s comes c * stages + s-th in
/// the model.
struct PipelineShape {
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  int stages = 1;
  int chunks = 1;
  int micro_batches = 1;
};
/// Throws InputError for counts below 1 and for chunks of another schedule than interleaved, Infeasible where the
/// micro-batches of an interleaved schedule are no multiple of the stages (Megatron-LM demands it), with the nearest.
void check_shape(const PipelineShape& shape);

/// A task is one pass of a micro-batch through a chunk of a stage.
struct PipelineTask {
  bool backward = false;
  int micro_batch = 0;
  int chunk = 0;
  bool operator==(const PipelineTask&) const = default;
};

/// Returns what a stage does, in order: every micro-batch forward and backward through every chunk.
std::vector<PipelineTask> pipeline_order(const PipelineShape& shape, int stage);

/// in_flight[c]: micro-batches that have gone forward through chunk c but not yet backward, at the moment of the step
/// when `weights` (by chunk, what a micro-batch keeps in memory) add up to the most.
std::vector<int> micro_batches_in_flight(const PipelineShape& shape, int stage, const std::vector<double>& weights);

}  // namespace mlsim::workloads
