// A `Figure` is the figure of a metric: read off a prediction, or the ratio of two of them.
#pragma once

#include <optional>

#include "core/result/prediction.hpp"
#include "validation/cases/cases.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

/// A figure has a value and its interval, as far as the prediction has them.
struct Figure {
  double value = 0;
  std::optional<Interval> interval;
};

/// Reads what `prediction` says of a metric of its own (one without ratio_of(), or a speedup or efficiency against one
/// accelerator). Throws Infeasible where it does not say it: no price, no target, no all-to-all.
Figure figure_of(Metric metric, const Prediction& prediction);

/// Makes the figure of a case's metric from those of ratio_of() it, on the case and on its reference. The spreads of
/// both sides add in quadrature.
Figure relative_figure(const Case& c, const Figure& own, const Case& reference, const Figure& of_reference);

}  // namespace mlsim::validation
