// A question is settled where its format, batch and layout are known; a layout that is open is searched.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/result/layout_choice.hpp"
#include "core/text/statement.hpp"
#include "sim/costed_step/costed_step.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/lowered_plan.hpp"
#include "sim/plan/plan.hpp"
#include "sim/plan/request.hpp"

namespace mlsim::sim {

/// A question is settled where its format, batch and layout are told: what it leaves open is filled in as one would who
/// knows the runs on record.
struct SettledQuestion {
  PredictRequest request;
  Statement chosen;                   // what was, and why; empty where nothing was left open
  std::vector<LayoutChoice> layouts;  // held against one another, the quickest first; empty where none were searched
  std::shared_ptr<const CostedStep> step;  // of `request`, where it was costed to be chosen; else null
};

/// What the question says is never changed, and nothing is with PredictRequest::as_is. Chosen are the usual precision
/// (usual_precision.hpp); the layout, where the model does not fit as asked, and the batch with which the target is
/// reached first, by formulas, among the usual one and those of the recipe's published runs. A question that nothing
/// makes fit stays as it is. The layout of a language model is searched (layout.hpp) where the question says
/// `--parallelism auto`, and where it says nothing and an accelerator does not hold the model. Throws InputError and
/// Infeasible as make_plan() does, but for memory. The ways that were costed leave what they solved in `cache`.
SettledQuestion settled(const PredictRequest& request, QuestionCache& cache);
SettledQuestion settled(const PredictRequest& request);

/// Gives the step of a settled question, costed now where it was not costed to be chosen.
std::shared_ptr<const CostedStep> costed_step(const SettledQuestion& question, QuestionCache& cache);

/// A question's layout is searched: of the layouts that fit, a few are costed in full.
struct SearchedQuestion {
  PredictRequest request;  // with the quickest layout
  Statement chosen;
  std::vector<LayoutChoice> layouts;       // the quickest first, at most five
  std::shared_ptr<const CostedStep> step;  // of `request`
};

/// `plan` is of `request`, whose layout is open, but for a global batch, which may be less than a sample for each rank.
/// A batch that the request leaves open is the quickest to the target of the recipe's, else the one on record per
/// accelerator, else of so many tokens as NVIDIA's recipes have. Empty where no layout fits.
std::optional<SearchedQuestion> searched_question(const PredictRequest& request, const Plan& plan,
                                                  QuestionCache& cache);

}  // namespace mlsim::sim
