// The step of a question at one fidelity.
#pragma once

#include "sim/answer/predict.hpp"

namespace mlsim::test {

inline double step_time(sim::PredictRequest request, Fidelity fidelity) {
  request.fidelity = fidelity;
  return sim::predict(request).step.time.value;
}

}  // namespace mlsim::test
