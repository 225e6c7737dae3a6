// A step that the user timed is held against the range of an answer: is that normal here, and what would bring it down?
#pragma once

#include "core/result/prediction.hpp"
#include "sim/plan/request.hpp"
#include "studies/namespace.hpp"

namespace mlsim::studies {

/// `answer` is predict()'s of `request`. Remedies are the resources of which twice as much saves a hundredth of the
/// step or more, the best three; none where the request is one that explain() refuses.
Prediction::MeasuredStep measured_step(const PredictRequest& request, const Prediction& answer, Seconds measured);

}  // namespace mlsim::studies
