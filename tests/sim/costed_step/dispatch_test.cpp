// What a stack takes before a step for each kernel that it launches.
#include "catch.hpp"
#include "sim/answer/predict.hpp"
#include "sim/costed_step/costed_step.hpp"
#include "sim/explain/explain.hpp"
#include "sim/options/options_text.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

PredictRequest ask(const std::string& workload, Seconds dispatch, Seconds per_kernel = Seconds(0)) {
  Profile profile;
  profile.accelerator = "a100-sxm4-80gb";
  profile.efficiency.push_back({Precision::fp16, 0.5, 0.8, microseconds(5), {Provenance::fitted, "made up", ""}});
  StackTerm term;
  term.stack = "made-up";
  term.step_overhead = milliseconds(1);
  term.dispatch = dispatch;
  term.per_kernel = per_kernel;
  profile.stacks.push_back(term);
  PredictRequest request;
  request.topology = "dgx-a100-80gb";
  request.accelerators = 4;
  request.workload = workload;
  request.batch_per_accelerator = 64;
  if (workload == "dlrm") request.parallelism = "embedding=4";
  request.fidelity = Fidelity::closed;
  request.options = options_of({{"stack", "made-up"}});
  request.builtin_profiles = std::vector<Profile>{profile};
  return request;
}

double launches(const PredictRequest& request) {
  const auto step = costed_step(request);
  const StepGraph& graph = *step.lowered().graph;
  double count = 0;
  for (const StepNode& node : graph)
    for_kernels_of(node, [&](const KernelWork& work) { count += work.launches * node.repeats; });
  return count;
}

}  // namespace

TEST_CASE("a step takes its dispatch once for each kernel that it launches") {
  for (const char* workload : {"resnet50", "minigo", "dlrm"}) {
    INFO(workload);
    const PredictRequest with = ask(workload, microseconds(10)), without = ask(workload, Seconds(0));
    const double dispatch = 10e-6 * launches(with);
    CHECK(predict(without).step.overhead.value == Approx(1e-3));
    CHECK(predict(with).step.overhead.value == Approx(1e-3 + dispatch));
    CHECK(predict(with).step.time.value - predict(without).step.time.value == Approx(dispatch));
    Seconds host, all;
    for (const auto& each : explain(with).resources) {
      all += each.time;
      if (each.resource == "host and framework") host = each.time;
    }
    CHECK(host.value == Approx(1e-3 + dispatch));
    CHECK(all.value == Approx(predict(with).step.time.value));
  }
}

TEST_CASE("a network of few kernels waits less for its host than one of many") {
  // 53 convolutions with as many normalisations, three passes each, against DLRM's eight dense layers and its tables.
  const double many = launches(ask("resnet50", {})), few = launches(ask("dlrm", {}));
  CHECK(many >= 53 * (3 + 2));
  CHECK(few < 0.25 * many);
}

TEST_CASE("an update that loops over tensors waits for the framework once a kernel of a tensor") {
  const auto update = [](Seconds per_kernel, const char* multi_tensor) {
    PredictRequest request = ask("resnet50", Seconds(0), per_kernel);
    request.options = options_of(
        {{"stack", "made-up"}, {"optimizer", "momentum"}, {"multi_tensor", multi_tensor}, {"loss_scaling", "off"}});
    return predict(request).step.optimizer.value;
  };
  for (const auto& [multi_tensor, kernels] : {std::pair{"on", 1}, std::pair{"off", 4}})  // decay, scale, add, step
    CHECK(update(microseconds(33), multi_tensor) - update(Seconds(0), multi_tensor) == Approx(kernels * 33e-6));
}
