// A PipelineSchedule says in which order the stages of a pipeline run the passes of their micro-batches.
#pragma once

#include <cstdint>
#include <vector>

#include "core/text/words.hpp"
#include "core/units.hpp"

namespace mlsim::workloads {

/// The schedules order passes so:
/// gpipe        all forward passes, then all backward passes, last micro-batch first (Huang et al., arXiv:1811.06965)
/// 1f1b         forward and backward passes in turn once the pipe is full (Narayanan et al., PipeDream, SOSP 2019; with
///              a flush at the end of each step as in Megatron-LM, arXiv:2104.04473)
/// interleaved  1f1b with several chunks of layers on each stage (arXiv:2104.04473, section 2.2.2)
/// zero-bubble-1p, -2p  1f1b whose weight gradients wait, so that stages hand on gradients earlier: stage i is i, or
///              2 i, weight passes behind, and with 2p all stages fill the pipe twice as far. Stages keep p, or
///              2 p - 1, micro-batches (Qi et al., arXiv:2401.10241, section 2: ZB-H1 and ZB-H2)
/// zero-bubble-v  two chunks a stage that lie as a V, so that the last chunk stands on the first stage: without bubble
///              where all three passes take the same, and stages keep p micro-batches (the same paper, section 6.1:
///              ZB-V; as pytorch/pytorch, ScheduleZBVZeroBubble, fills and empties the pipe)
enum class PipelineSchedule : std::uint8_t {
  gpipe,
  one_f_one_b,
  interleaved,
  zero_bubble_1p,
  zero_bubble_2p,
  zero_bubble_v
};
inline Words<PipelineSchedule> words(PipelineSchedule) {
  return {"pipeline schedule",
          {"gpipe", "1f1b", "interleaved", "zero-bubble-1p", "zero-bubble-2p", "zero-bubble-v"},
          {{"ZBV", PipelineSchedule::zero_bubble_v}, {"ZBVZeroBubble", PipelineSchedule::zero_bubble_v}}};
}
/// Says whether weight gradients are passes of their own.
bool splits_backward(PipelineSchedule schedule);

/// A pipeline has `stages` stages, each with `chunks` chunks of layers; chunk c of stage s comes c * stages + s-th in
/// the model, of zero-bubble-v the second one as many behind the last as the stage is before it.
struct PipelineShape {
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  int stages = 1;
  int chunks = 1;
  int micro_batches = 1;

  int place(int stage, int chunk) const {  // in the model
    return chunk * stages + (turns(chunk) ? stages - 1 - stage : stage);
  }
  int stage_of(int place) const { return turns(place / stages) ? stages - 1 - place % stages : place % stages; }

 private:
  bool turns(int chunk) const { return schedule == PipelineSchedule::zero_bubble_v && chunk % 2 == 1; }
};
/// Throws InputError for counts below 1 and for chunks that the schedule does not have, Infeasible where the
/// micro-batches of an interleaved schedule are no multiple of the stages (Megatron-LM demands it), or too few to fill
/// the stages of a zero-bubble one, with the nearest.
void check_shape(const PipelineShape& shape);

/// A task is one pass of a micro-batch through a chunk of a stage. Where weight gradients are passes of their own,
/// `backward` is the pass of the input gradients.
struct PipelineTask {
  bool backward = false;
  int micro_batch = 0;
  int chunk = 0;
  bool weights = false;
  bool operator==(const PipelineTask&) const = default;
};

/// Returns what a stage does, in order: every micro-batch forward and backward through every chunk.
std::vector<PipelineTask> pipeline_order(const PipelineShape& shape, int stage);

/// in_flight[c]: micro-batches that have gone forward through chunk c but not yet backward, weight gradients included,
/// at the moment of the step when `weights` (by chunk, what a micro-batch keeps in memory) add up to the most.
std::vector<int> micro_batches_in_flight(const PipelineShape& shape, int stage, const std::vector<double>& weights);

}  // namespace mlsim::workloads
