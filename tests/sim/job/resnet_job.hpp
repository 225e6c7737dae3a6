// What a job of ResNet-50 with 64 samples on each accelerator takes.
#pragma once

#include <string>

#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"

namespace mlsim::test {

inline Prediction resnet_job(const Settings& settings, const std::string& topology = "gce-v100") {
  PredictRequest request;
  request.topology = topology;
  request.workload = "resnet50";
  request.batch_per_accelerator = 64;
  request.fidelity = Fidelity::closed;
  request.options = sim::options_of(settings);
  return sim::predict(request);
}

}  // namespace mlsim::test
