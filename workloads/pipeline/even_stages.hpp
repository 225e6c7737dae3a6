// EvenStages are the stages of a pipeline that have as many repetitions of a model's blocks each.
#pragma once

#include <optional>
#include <vector>

#include "core/text/words.hpp"
#include "workloads/model/model.hpp"
#include "workloads/pipeline/schedule.hpp"

namespace mlsim::workloads {

/// A StageCut says what the stages of a pipeline have in common: as many repetitions of the repeated block, or as near
/// as may be the same time.
enum class StageCut { even, balanced };
inline Words<StageCut> words(StageCut) { return {"stages", {"even", "balanced"}}; }

/// EvenStages cut a transformer between the repetitions of its blocks. The first and the last stage may have counts of
/// their own; an empty one is an even share (Megatron-LM, --decoder-first-pipeline-num-layers).
struct EvenStages {
  int stages = 1, chunks = 1;  // chunks of each stage
  std::optional<int> first, last;
  PipelineSchedule schedule = PipelineSchedule::interleaved;  // which says where a stage's chunks lie
};

/// Says whether the model is a transformer that repeats its blocks at least `parts` times.
bool repeats_block(const Model& model, int parts);

/// Returns the first layer of each of stages x chunks parts. What comes before the block is in the first, what comes
/// behind it in the last. Repetitions that do not divide go to the middle parts, so that the ends, which have the
/// vocabulary too, have fewer (Grattafiori et al., The Llama 3 Herd of Models, arXiv:2407.21783, section 3.3.2). Throws
/// Infeasible where counts that are given leave no even share, with the nearest that do.
std::vector<int> even_stages(const Model& model, const EvenStages& even);

}  // namespace mlsim::workloads
