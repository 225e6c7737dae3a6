// A `JobStudy` is all that a report says of one job besides its answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result/explanation.hpp"
#include "core/result/prediction.hpp"
#include "sim/plan/request.hpp"
#include "sim/step/timeline.hpp"
#include "studies/compare/scaling.hpp"
#include "studies/namespace.hpp"
#include "validation/scores/score.hpp"

namespace mlsim::studies {

struct JobStudy {
  Prediction answer;
  Timeline timeline;                               // of its step
  std::optional<Explanation> explanation;          // what more of each resource would save
  std::string unexplained;                         // why there is none
  Scaling scaling;                                 // at other sizes and batches
  std::vector<validation::CaseResult> comparable;  // published runs and what mlsim says of them
};

/// `answer` and `timeline` are predict()'s of `request`.
JobStudy job_study(const PredictRequest& request, Prediction answer, Timeline timeline,
                   const ScalingOptions& options = {});

/// Answers the request, too. Throws as predict() does.
JobStudy job_study(const PredictRequest& request, const ScalingOptions& options = {});

/// `explanation` is explain()'s of `request`. Resources that change the job by less than a thousandth are left out.
/// Empty where the job has no target.
std::vector<JobChange> job_changes(PredictRequest request, const Explanation& explanation);

/// `answer` is predict()'s of `request`. Remedies are the resources of which twice as much saves a hundredth of the
/// step or more, the best three; none where the request is one that explain() refuses.
Prediction::MeasuredStep measured_step(const PredictRequest& request, const Prediction& answer, Seconds measured);

}  // namespace mlsim::studies
