// No answer is past what its precision, memory and links allow, whatever it rests on; bounds are counted here anew.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/costed_step/costed_step.hpp"
#include "tests/sim/laws/random_plan.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "workloads/lowering/step_graph.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

constexpr double kLastDigit = 1e-9;
constexpr Bytes kLargestCache(256 * 1048576.0);  // of any accelerator of the catalogue: MI300X, Infinity Cache

// F(2x2, k x k) makes (k + 1)^2 multiplications where 4 k^2 count; libraries have it for 3x3 and 5x5.
double winograd_credit(const KernelWork& work, Precision precision) {
  const auto* shape = std::get_if<ConvolutionShape>(&work.key.shape);
  if (shape == nullptr || precision != Precision::fp32 || shape->stride_h != 1 || shape->stride_w != 1) return 1;
  const auto k = static_cast<double>(shape->kernel_h);
  return shape->kernel_h == shape->kernel_w && (k == 3 || k == 5) ? 4 * k * k / ((k + 1) * (k + 1)) : 1;
}

// Products that are called fp32 may be made in tf32.
double unit_rate(const AcceleratorSpec& chip, Precision precision) {
  const double peak = chip.peak.at(precision).value.value;
  const auto tf32 = chip.peak.find(Precision::tf32);
  return precision == Precision::fp32 && tf32 != chip.peak.end() ? std::max(peak, tf32->second.value.value) : peak;
}

// A `LeastTimes` has what one rank of a role needs at the data sheet's rates.
struct LeastTimes {
  Seconds units;    // of its passes and updates
  Seconds updates;  // bytes of its updates, but for what the largest cache may hold of them
};

LeastTimes least_times(const CostedStep& step, int role) {
  LeastTimes least;
  const Plan& plan = step.plan();
  const AcceleratorSpec& chip = plan.cluster->accelerator;
  double fastest = 0;  // fused attention may compute in a narrower format than the step
  for (const auto& [format, peak] : chip.peak) fastest = std::max(fastest, peak.value.value);
  const double peak = unit_rate(chip, plan.step.precision);
  Bytes updated;
  const StepGraph& graph = *step.lowered().graph;
  for (const StepNode& node : graph) {
    if (!is_compute(node) || node.role != role) continue;
    for_kernels_of(node, [&](const KernelWork& work) {
      const double rate = work.key.precision == plan.step.precision ? peak : fastest;
      least.units += Seconds(node.repeats * work.flop.value / rate / winograd_credit(work, plan.step.precision));
      if (node.part == StepPart::optimizer) updated += work.bytes * node.repeats;
    });
  }
  least.updates = max(updated - kLargestCache, Bytes(0)) / chip.memory_bandwidth.value;
  return least;
}

bool has_timed_kernels(const CostedStep& step) {
  return step.cost().basis_shares()[static_cast<std::size_t>(CostBasis::measured)].share > 0;
}

// The gradients of a node, which all nodes have in common, enter it once at least, were switches to add them up.
Seconds least_exchange(const CostedStep& step) {
  const Plan& plan = step.plan();
  const bool plain = plan.step.parallelism.ranks() == plan.step.parallelism.batch_ranks() && !plan.software.servers &&
                     plan.cluster->nodes > 1 && plan.step.micro_batches == 1;
  if (!plain || !(plan.cluster->node_network > BytesPerSecond(0))) return Seconds(0);
  Bytes payload;
  const StepGraph& graph = *step.lowered().graph;
  for (const StepNode& node : graph)
    if (node.kind == NodeKind::collective && node.part == StepPart::gradient_exchange &&
        node.collective == CollectiveKind::all_reduce)
      payload += node.payload * node.repeats;
  return payload / plan.cluster->node_network;
}

void check_bounds(const PredictRequest& request, const Prediction& answer) {
  const CostedStep step = costed_step(request);
  if (has_timed_kernels(step)) return;
  std::set<int> roles{0};
  if (step.lowered().mesh)
    for (const int role : step.lowered().mesh->mesh.roles()) roles.insert(role);
  for (const int role : roles) {
    const LeastTimes least = least_times(step, role);
    CHECK(answer.step.time.value >= least.units.value * (1 - kLastDigit));
    CHECK(answer.step.time.value >= least.updates.value * (1 - kLastDigit));
  }
  CHECK(answer.step.communication.value >= least_exchange(step).value * (1 - kLastDigit));
  // All ranks together compute the model once, and Winograd's credit is the only one.
  const bool credit = answer.inputs.precision == Precision::fp32;
  CHECK(*answer.mfu <= (credit ? 2.25 : 1) * (1 + kLastDigit));
}

bool certain(const RandomPlan& plan) { return !plan.is_drawn_by_chance(); }

PredictRequest catalogue_question(const std::string& topology, const std::string& workload,
                                  const std::string& precision) {
  RandomPlan plan;
  plan.machine = topology;
  plan.workload = workload;
  plan.precision = precision;
  PredictRequest request = plan.request();
  request.batch_per_accelerator.reset();
  return request;
}

void check_catalogue(const std::vector<std::string>& machines, const std::vector<std::string>& workloads) {
  int asked = 0;
  for (const std::string& machine : machines) {
    for (const std::string& workload : workloads) {
      for (const char* precision : {"fp32", "fp16", "bf16"}) {
        const PredictRequest request = catalogue_question(machine, workload, precision);
        INFO("predict --as-is --topology " << machine << " --workload " << workload << " --precision " << precision);
        try {
          check_bounds(request, predict(request));
          ++asked;
        } catch (const Infeasible&) {  // it does not fit, or the chip has no such format
        }
      }
    }
  }
  CHECK(asked > static_cast<int>(machines.size()));
}

}  // namespace

TEST_CASE("no drawn plan is past the peak of its units, its memory or its network", "[sweep]") {
  for (const auto& [plan, answer] : random_plans(41, 150, certain)) {
    INFO(plan.command());
    check_bounds(plan.request(), answer);
  }
}

TEST_CASE("no answer of the catalogue is past them in fp32, where convolutions spare work") {
  check_catalogue({"p3dn", "dgx1-v100", "dgx-a100", "g5.12xlarge", "gce-p100"}, {"ssd-resnet34", "resnet50", "vgg16"});
}

TEST_CASE("nor is any machine's of the catalogue", "[slow]") {
  std::vector<std::string> machines;
  for (const TopologyEntry& entry : topology_entries())
    if (entry.of_its_own) machines.push_back(entry.name);
  check_catalogue(machines, {"ssd-resnet34", "resnet50", "inception3", "mask-rcnn", "bert-large", "gnmt", "dlrm"});
}

TEST_CASE("an efficiency or MFU above one says against what") {
  int above = 0;
  for (const auto& [plan, answer] : random_plans(42, 150)) {
    INFO(plan.command());
    const auto said = [&](const std::string& words) {
      return std::any_of(answer.warnings.begin(), answer.warnings.end(),
                         [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
    };
    CHECK((answer.scaling_efficiency >= 1.0005) == said("of linear is against"));
    CHECK((*answer.mfu >= 1.0005) == said("is against the data sheet's peak"));
    above += answer.scaling_efficiency >= 1.0005 ? 1 : 0;
  }
  CHECK(above > 0);
}
