// A question's layout is searched: of the layouts that fit, a few are costed in full.
#pragma once

#include <optional>
#include <vector>

#include "core/result/layout_choice.hpp"
#include "core/text/statement.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/lowered_plan.hpp"
#include "sim/plan/plan.hpp"
#include "sim/plan/request.hpp"

namespace mlsim::sim {

struct SearchedQuestion {
  PredictRequest request;  // with the quickest layout
  Statement chosen;
  std::vector<LayoutChoice> layouts;  // the quickest first, at most five
};

/// `plan` is of `request`, whose layout is open, but for a global batch, which may be less than a sample for each rank.
/// A batch that the request leaves open is the quickest to the target of the recipe's, else the one on record per
/// accelerator, else of so many tokens as NVIDIA's recipes have. Empty where no layout fits.
std::optional<SearchedQuestion> searched_question(const PredictRequest& request, const Plan& plan,
                                                  ExchangesOfQuestion& known);

}  // namespace mlsim::sim
