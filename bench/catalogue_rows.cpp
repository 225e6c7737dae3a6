// The rows of the catalogue are every workload on a box of each sort and on a pod, predicted one after the other.
#include <fmt/format.h>

#include <stdexcept>

#include "bench/row.hpp"
#include "calibrate/builtin_profiles.hpp"
#include "sim/answer/predict.hpp"
#include "validation/cases/cases.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::bench {
namespace {

std::string all_predicted(const std::string& system, int accelerators) {
  PredictRequest request;
  request.topology = system;
  request.accelerators = accelerators;
  request.builtin_profiles = builtin_profiles();
  request.anchors = published_anchors();
  int answered = 0, refused = 0;
  for (const auto& workload : model_names()) {
    request.workload = workload;
    try {
      predict(request);
      ++answered;
    } catch (const std::runtime_error&) {
      ++refused;
    }
  }
  return fmt::format("{} predicted, {} refused", answered, refused);
}

}  // namespace

std::vector<BenchRow> catalogue_rows() {
  std::vector<BenchRow> rows;
  for (const std::string system : {"dgx1-v100:nodes=8", "dgx-a100:nodes=8", "torus32x32", "gke-t4:nodes=64"}) {
    for (const int accelerators : {1, 8, 64}) {
      BenchRow row{"whole catalogue", system.substr(0, system.find(':')), accelerators, "folded", {}, {}};
      row.work = [system, accelerators] { return all_predicted(system, accelerators); };
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace mlsim::bench
