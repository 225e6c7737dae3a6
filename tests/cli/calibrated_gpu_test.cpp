// Predictions from the kernels that were measured on an H200, against training steps that PyTorch ran there.
#include <cmath>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "core/text/csv.hpp"
#include "run_mlsim.hpp"

namespace {

using Json = nlohmann::json;
const std::string kFolder = MLSIM_SOURCE_DIR "/examples/calibrated-gpu/";

struct GpuRun {
  std::string workload, question;
  double step = 0, busy = 0;  // seconds; of the whole step, and of all its kernels
};

std::vector<GpuRun> runs() {
  std::vector<GpuRun> all;
  for (const auto& row : mlsim::load_csv(kFolder + "pytorch_steps.csv").rows) {
    const auto& cell = row.fields;
    all.push_back({cell.at(0),
                   "predict --topology hgx-h200 --accelerators 1 --format json --workload " + cell.at(0) +
                       " --precision " + cell.at(1) + " --batch-per-accelerator " + cell.at(2),
                   std::stod(cell.at(3)), std::stod(cell.at(4))});
  }
  return all;
}

Json answer(const std::string& question) {
  const ProgramRun run = run_mlsim(question);
  INFO(question << run.err);
  REQUIRE(run.code == 0);
  return Json::parse(run.out);
}

const std::string kMeasured = " --profile " + kFolder + "profile.json";

}  // namespace

// ResNet-152 and VGG-16 were not calibrated on: laws of the kernels of other networks tell most of their time.
TEST_CASE("networks of images keep a GPU busy for as long as their measured kernels take by themselves") {
  int compared = 0;
  for (const GpuRun& run : runs()) {
    if (!run.workload.starts_with("resnet") && run.workload != "vgg16") continue;
    INFO(run.workload);
    const Json step = answer(run.question + kMeasured + " --set fusion=off").at("step");
    const double kernels = step.at("compute_s").get<double>() + step.at("optimizer_s").get<double>();
    CHECK(std::abs(std::log(kernels / run.busy)) < std::log(1.35));
    ++compared;
  }
  CHECK(compared == 3);
}

TEST_CASE("a step of PyTorch takes longer than its measured kernels and lies in the interval") {
  int inside = 0, all = 0;
  for (const GpuRun& run : runs()) {
    INFO(run.workload);
    const Json said = answer(run.question + kMeasured);
    CHECK(said.at("step").at("time_s").get<double>() < run.step);
    inside += said.at("interval").at("step_time_s").at(1).get<double>() >= run.step ? 1 : 0;
    ++all;
  }
  CHECK(all == 7);
  CHECK(inside >= 6);
}

TEST_CASE("PyTorch's steps on an H200 are foretold from published runs alone, with its software named") {
  int compared = 0;
  for (const GpuRun& run : runs()) {
    if (!run.workload.starts_with("llama") && run.workload != "resnet50") continue;
    INFO(run.workload);
    const Json step = answer(run.question + " --set stack=eager").at("step");
    CHECK(step.at("time_s").get<double>() == Approx(run.step).epsilon(0.1));
    ++compared;
  }
  CHECK(compared == 2);
}
