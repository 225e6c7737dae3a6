// A `PredictedStep` is simulated once for all jobs that are made of it: jobs, failures and prices differ, the step
// stays.
#pragma once

#include <memory>

#include "core/result/prediction.hpp"
#include "sim/answer/answered_step.hpp"
#include "sim/costed_step/costed_step.hpp"
#include "sim/costed_step/single_rank.hpp"
#include "sim/expert/settled_question.hpp"
#include "sim/job/asked_price.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/request.hpp"
#include "sim/step/timeline.hpp"

namespace mlsim::sim {

class PredictedStep {
 public:
  /// Loads, lowers, places and simulates. Throws InputError, Infeasible or Unavailable.
  explicit PredictedStep(const PredictRequest& request);
  PredictedStep(const PredictedStep&) = delete;

  /// Answers `request`, which may differ from the step's own question in options of OptionSubject::job alone, and is
  /// one that the step `answers`. It takes about a hundredth of the time of the step. Throws InputError for a price
  /// that is not known.
  Prediction prediction(const PredictRequest& request) const;

  /// Tells whether it is the step of `request`, too: what is chosen for a question goes by the end of its job.
  bool answers(const PredictRequest& request) const;

  const Timeline& timeline() const { return answer_.outcome.timeline; }

 private:
  // The ways to settle the question share what they solve.
  PredictedStep(const PredictRequest& request, QuestionCache cache);

  SettledQuestion question_;  // keeps alive what the step refers to
  JobOptions job_;            // of the question that it was settled for
  std::shared_ptr<const CostedStep> step_;
  AnsweredStep answer_;
  SingleRank single_;
  StepAlone alone_;
};

}  // namespace mlsim::sim
