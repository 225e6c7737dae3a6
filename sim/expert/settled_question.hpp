// A question is settled where its format, batch and layout are told: what it leaves open is filled in as one would who
// knows the runs on record.
#pragma once

#include <vector>

#include "core/result/layout_choice.hpp"
#include "core/text/statement.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/lowered_plan.hpp"
#include "sim/plan/request.hpp"

namespace mlsim::sim {

struct SettledQuestion {
  PredictRequest request;
  Statement chosen;                   // what was, and why; empty where nothing was left open
  std::vector<LayoutChoice> layouts;  // held against one another, the quickest first; empty where none were searched
};

/// What the question says is never changed, and nothing is with PredictRequest::as_is. Chosen are the usual precision
/// (usual_precision.hpp); the layout, where the model does not fit as asked, and the batch with which the target is
/// reached first, by formulas, among the usual one and those of the recipe's published runs. A question that nothing
/// makes fit stays as it is. The layout of a language model is searched (layout_search.hpp) where the question says
/// `--parallelism auto`, and where it says nothing and an accelerator does not hold the model. Throws InputError and
/// Infeasible as make_plan() does, but for memory. The ways that were costed leave their exchanges in `known`.
SettledQuestion settled(const PredictRequest& request, ExchangesOfQuestion& known);
SettledQuestion settled(const PredictRequest& request);

}  // namespace mlsim::sim
