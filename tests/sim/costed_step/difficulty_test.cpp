#include <cmath>

#include "catch.hpp"
#include "sim/costed_step/costed_step.hpp"

using namespace mlsim;
using namespace mlsim::sim;
using namespace mlsim::test;

namespace {

// A language model of 7 G parameters whose weights are on `accelerators` GPUs of PCIe servers together.
PredictRequest sharded(int accelerators) {
  PredictRequest request;
  request.topology = "pcie-server:nodes=2";
  request.workload = "llama-2-7b:layers=2";
  request.accelerators = accelerators;
  request.global_batch = accelerators;
  request.options.memory.sharding = StateSharding::parameters;
  return request;
}

}  // namespace

TEST_CASE("a step is as hard as it is longer if its exchanges take twice as long and hide behind nothing") {
  const CostedStep step = costed_step(sharded(16));
  const double exchanges = step.difficulty().log_exchanges;
  CHECK(exchanges > 0.2);
  CHECK(exchanges == Approx(std::log(1 + step.cost().exchange_time() / step.cost().nominal_time())));
  CHECK(log_difficulty(step.difficulty(), step.cost().nominal_time()) == Approx(1 + exchanges));
}

TEST_CASE("without an exchange it is as hard as any") {
  CHECK(costed_step(sharded(1)).difficulty().log_exchanges == 0);
}

TEST_CASE("the slower the network, the harder the step") {
  PredictRequest slow = sharded(16);
  slow.topology += ":network_bandwidth=1GB/s";
  CHECK(costed_step(slow).difficulty().log_exchanges > costed_step(sharded(16)).difficulty().log_exchanges);
}
