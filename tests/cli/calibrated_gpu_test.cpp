// Predictions from the kernels that were measured on two GPUs, against training steps that PyTorch ran there.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "core/quantile.hpp"
#include "core/text/csv.hpp"
#include "run_mlsim.hpp"

namespace {

using Json = nlohmann::json;
const std::string kFolder = MLSIM_SOURCE_DIR "/examples/calibrated-gpu/";

struct GpuRun {
  std::string date, gpu, workload, precision, batch, software;
  double step = 0, busy = 0;  // seconds; of the whole step, and of all its kernels

  /// Profiles hold kernels of 16 bits.
  bool calibrated() const { return precision != "tf32"; }
  bool of_images() const { return workload.starts_with("resnet") || workload == "vgg16"; }
  bool of_language() const { return workload.starts_with("llama") || workload.starts_with("gpt2"); }
  /// The seven steps that ran first, on a host that kept up with the GPU better than the later ones.
  bool of_first_day() const { return date == "2026-11-26"; }
  bool bound_by_kernels() const { return busy > 0.9 * step; }
};

std::vector<GpuRun> runs() {
  std::vector<GpuRun> all;
  for (const auto& row : mlsim::load_csv(kFolder + "pytorch_steps.csv").rows) {
    const auto& cell = row.fields;
    all.push_back({cell.at(0), cell.at(1), cell.at(2), cell.at(3), cell.at(4), cell.at(5), std::stod(cell.at(6)),
                   std::stod(cell.at(7))});
  }
  return all;
}

Json answer(const GpuRun& run, const std::string& options) {
  const std::string question = "predict --topology " + run.gpu + " --accelerators 1 --format json --workload " +
                               run.workload + " --precision " + run.precision + " --batch-per-accelerator " +
                               run.batch + options;
  const ProgramRun asked = run_mlsim(question);
  INFO(question << asked.err);
  REQUIRE(asked.code == 0);
  return Json::parse(asked.out);
}

std::string measured(const GpuRun& run) { return " --profile " + kFolder + run.gpu + ".json"; }

}  // namespace

// ResNet-152 was not calibrated on, nor were other batches: laws of other shapes tell most of their time.
TEST_CASE("networks of images keep a GPU busy for as long as their measured kernels take by themselves") {
  std::vector<double> distances;
  for (const GpuRun& run : runs()) {
    if (!run.of_images() || !run.calibrated() || run.software != "eager") continue;
    INFO(run.gpu << ' ' << run.workload << ' ' << run.batch);
    const Json step = answer(run, measured(run) + " --set fusion=off").at("step");
    const double kernels = step.at("compute_s").get<double>() + step.at("optimizer_s").get<double>();
    distances.push_back(std::abs(std::log(kernels / run.busy)));
    // A miss on both GPUs: 32 images of VGG-16 are 27 % below.
    const bool missed = run.workload == "vgg16" && run.batch == "32";
    CHECK(distances.back() < std::log(missed ? 1.5 : 1.35));
  }
  CHECK(distances.size() == 17);
  std::sort(distances.begin(), distances.end());
  CHECK(mlsim::quantile(distances, 0.5) < std::log(1.2));
}

TEST_CASE("a step of PyTorch takes longer than its measured kernels and lies in the interval") {
  int first_day = 0, steps_of_first_day = 0, bound = 0, steps_of_bound = 0, all = 0, kernels_of_all = 0;
  for (const GpuRun& run : runs()) {
    if (!run.calibrated()) continue;
    INFO(run.gpu << ' ' << run.workload << ' ' << run.batch);
    const bool launched = run.software == "compiled" && run.of_language();  // others have a stack's terms
    const Json said = answer(run, measured(run) + (launched ? " --set launch=compiled" : ""));
    CHECK(said.at("step").at("time_s").get<double>() < 1.01 * run.step);  // runs of one step differ by as much
    const double latest = said.at("interval").at("step_time_s").at(1).get<double>();
    const int inside = latest >= run.step ? 1 : 0;
    first_day += run.of_first_day() ? 1 : 0;
    steps_of_first_day += run.of_first_day() ? inside : 0;
    bound += run.bound_by_kernels() ? 1 : 0;
    steps_of_bound += run.bound_by_kernels() ? inside : 0;
    kernels_of_all += latest >= run.busy ? 1 : 0;
    ++all;
  }
  CHECK(first_day == 7);
  CHECK(steps_of_first_day >= 6);
  CHECK(steps_of_bound >= 0.8 * bound);
  CHECK(all == 65);
  CHECK(kernels_of_all >= 0.8 * all);
}

// Steps that wait for their kernels, not for the host of these machines, whose launches take 30 us and more.
TEST_CASE("PyTorch's steps are foretold from published runs alone, with its software named") {
  std::vector<double> distances;
  for (const GpuRun& run : runs()) {
    if (run.software != "eager" || !run.bound_by_kernels()) continue;
    INFO(run.gpu << ' ' << run.workload << ' ' << run.batch);
    const double said = answer(run, " --set stack=eager").at("step").at("time_s").get<double>();
    distances.push_back(std::abs(std::log(said / run.step)));
    if (run.workload.starts_with("llama")) CHECK(said == Approx(run.step).epsilon(0.1));
    // A miss: the nearest runs of ResNet-50 are Lambda's, without channels last.
    if (run.workload == "resnet50") CHECK(distances.back() < std::log(1.5));
  }
  CHECK(distances.size() == 37);
  std::sort(distances.begin(), distances.end());
  CHECK(mlsim::quantile(distances, 0.5) < std::log(1.3));
}

// NVIDIA's DGX Cloud recipes name the run: 128 GB200 in fp8 take 5.310 s, with recorded graphs of scans
// (NVIDIA/dgxc-benchmarking, nemotron-h/README.md at b8f2b1a). Nothing of it was in view when the scan's traffic was set.
TEST_CASE("Nemotron-H on GB200 takes what its scans take by themselves on an H100, by memory") {
  const ProgramRun asked = run_mlsim(
      "predict --topology gb200-nvl72:nodes=2:per_node=64 --workload nemotron-h-56b:sequence=8192 --precision fp8 "
      "--global-batch 384 --parallelism tensor=4,micro_batch=2 --set stack=nemo attention=flash --format json");
  REQUIRE(asked.code == 0);
  CHECK(Json::parse(asked.out).at("step").at("time_s").get<double>() == Approx(5.310).epsilon(0.1));
}
