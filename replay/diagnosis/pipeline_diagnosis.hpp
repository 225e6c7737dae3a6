// This diagnosis says which worker, link or stage of a pipelined job holds the others up.
#pragma once

#include "replay/diagnosis/diagnosis.hpp"
#include "replay/pipeline/pipeline_record.hpp"

namespace mlsim::replay {

/// Finds slow ranks, slow hosts where the record names them, slow links between stages, uneven stages, uneven
/// micro-batches and late input of the first stage; the cost of each is simulated.
Diagnosis diagnosis(const PipelineRecord& record);

}  // namespace mlsim::replay
