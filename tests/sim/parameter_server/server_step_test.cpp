// Whole steps with parameter servers: three fidelities, and what is refused.
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"
#include "sim/plan/lowered_plan.hpp"
#include "tests/sim/answer/step_time.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

PredictRequest server_question(const std::string& topology, const std::string& workload, const std::string& settings) {
  PredictRequest request;
  request.topology = topology;
  request.workload = workload;
  request.batch_per_accelerator = 32;
  request.precision = Precision::fp32;
  request.options = parse_options("optimizer=sgd;" + settings);
  return request;
}

}  // namespace

TEST_CASE("a step with servers takes the same time in closed form, folded and with every rank") {
  for (const std::string settings :
       {"variable_update=parameter_server;local_parameter_device=cpu", "variable_update=distributed_replicated",
        "variable_update=parameter_server;local_parameter_device=gpu;server_placement=greedy",
        "variable_update=parameter_server;local_parameter_device=cpu;servers=2"}) {
    const PredictRequest request = server_question("ec2-p2:nodes=4", "alexnet", settings);
    INFO(settings);
    const double folded = step_time(request, Fidelity::folded);
    CHECK(step_time(request, Fidelity::closed) == Approx(folded).epsilon(0.01));
    CHECK(step_time(request, Fidelity::fluid) == Approx(folded).epsilon(0.01));
  }
}

TEST_CASE("a slow accelerator keeps all others waiting for the sum") {
  PredictRequest request =
      server_question("dgx1-p100", "resnet50", "variable_update=parameter_server;local_parameter_device=cpu");
  const double even = step_time(request, Fidelity::folded);
  set_option(request.options, "slow_rank", "3:0.5");
  const double folded = step_time(request, Fidelity::folded);
  CHECK(folded > 1.35 * even);
  CHECK(step_time(request, Fidelity::fluid) == Approx(folded).epsilon(1e-3));
}

TEST_CASE("variables are pulled before the forward pass and gradients pushed, and nothing is updated here") {
  const Plan plan = make_plan(
      server_question("dgx1-p100", "resnet50", "variable_update=parameter_server;local_parameter_device=cpu"));
  const LoweredPlan lowered = lower_plan(plan);
  double pulled = 0, pushed = 0;
  for (const StepNode& node : *lowered.graph) {
    CHECK(node.part != StepPart::optimizer);
    if (node.kind != NodeKind::collective) continue;
    (node.collective == CollectiveKind::parameter_pull ? pulled : pushed) += node.payload.value;
  }
  CHECK(pulled == 4.0 * static_cast<double>(plan.model.trainable_parameters()));
  CHECK(pushed == pulled);
}

TEST_CASE("even tensors over servers are quicker than whole ones") {
  const auto time = [](const std::string& placement) {
    return step_time(
        server_question("ec2-p2:nodes=4", "vgg16",
                        "variable_update=parameter_server;local_parameter_device=cpu;server_placement=" + placement),
        Fidelity::folded);
  };
  CHECK(time("partitioned") < 0.6 * time("round_robin"));
}

TEST_CASE("4096 workers with their servers are a class and a few flows") {
  const auto simulation =
      predict(server_question("ec2-p2:nodes=512", "resnet50", "variable_update=distributed_replicated")).simulation;
  CHECK(simulation.ranks == 4096);
  CHECK(simulation.flows < 10000);
}

TEST_CASE("settings of servers that make no sense are refused with the reason") {
  const auto fails = [](const std::string& topology, const std::string& workload, const std::string& settings) {
    try {
      make_plan(server_question(topology, workload, settings));
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string servers = "variable_update=parameter_server;";
  CHECK_THAT(fails("dgx1-p100", "resnet50", servers + "servers=2"), ContainsSubstring("no network"));
  CHECK_THAT(fails("ec2-p2:nodes=2", "resnet50", servers + "servers=colocated:3"), ContainsSubstring("most"));
  CHECK_THAT(fails("torus4x4", "resnet50", servers), ContainsSubstring("variable_update=replicated"));
  CHECK_THAT(fails("dgx1-p100", "dlrm", servers), ContainsSubstring("embeddings"));
  CHECK_THROWS_AS(parse_options("servers=none"), InputError);
  CHECK_THROWS_AS(parse_options("server_placement=gredy"), InputError);
  PredictRequest request = server_question("dgx1-p100", "resnet50", servers);
  request.fidelity = Fidelity::message;
  CHECK_THROWS_AS(predict(request), Infeasible);
}
