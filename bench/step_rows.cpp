// Each row is one ResNet-50 step at one fidelity, from the question to the answer.
#include <fmt/format.h>

#include "bench/row.hpp"
#include "calibrate/builtin_profiles.hpp"
#include "sim/answer/predict.hpp"
#include "validation/cases/cases.hpp"

namespace mlsim::bench {
namespace {

// 65,536 ranks would send 170 million messages.
int most_step_ranks(Fidelity fidelity) { return fidelity == Fidelity::message ? 4096 : 65536; }

std::string predicted(const std::string& system, Fidelity fidelity) {
  PredictRequest request;
  request.topology = system;
  request.workload = "resnet50";
  request.fidelity = fidelity;
  request.builtin_profiles = builtin_profiles();
  request.anchors = published_anchors();
  const Prediction prediction = predict(request);
  return fmt::format("{:.9f} s a step, {} classes, {} flows", prediction.step.time.value, prediction.simulation.classes,
                     prediction.simulation.flows);
}

}  // namespace

std::vector<BenchRow> step_rows() {
  struct System {
    int ranks;
    std::string name;
  };
  std::vector<BenchRow> rows;
  for (const System& system :
       {System{1, "torus1x1"}, System{16, "torus4x4"}, System{256, "torus16x16:accelerator=tpu-v3"},
        System{1024, "torus32x32"}, System{4096, "torus128x32"}, System{65536, "torus256x256"}}) {
    for (const Fidelity fidelity : {Fidelity::closed, Fidelity::folded, Fidelity::fluid, Fidelity::message}) {
      const std::string shown = system.name.substr(0, system.name.find(':'));
      BenchRow row{"ResNet-50 step", shown, system.ranks, std::string(name(fidelity)), {}, {}};
      if (system.ranks > most_step_ranks(fidelity)) {
        row.skipped = fmt::format("beyond {} ranks", most_step_ranks(fidelity));
      } else {
        row.work = [system, fidelity] { return predicted(system.name, fidelity); };
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace mlsim::bench
