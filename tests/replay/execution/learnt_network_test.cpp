// What ranks learn together is what one rank learns of all their samples.
#include "replay/execution/learnt_network.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "kernels/update_constants.hpp"
#include "perceptron.hpp"
#include "replay/execution/replay_session.hpp"
#include "thread_library.hpp"

namespace mlsim::test {
namespace {

using namespace replay;

ReplayOrder order_of_perceptron(ReplayUpdate update) {
  ReplayOrder order;
  order.workload = perceptron_file();
  order.batch = 6;
  order.optimizer = "momentum";
  order.update = update;
  order.overlap = update != ReplayUpdate::servers;
  order.steps = 2;
  order.warm_up = 1;
  return order;
}

ReplayRun run_on_threads(const ReplayOrder& order, int ranks) {
  ReplayRun of_root;
  on_ranks(ranks, [&](World& world) {
    auto library = thread_library(world);
    const ReplayRun run = replayed(order, replay_plan(order, ranks), world, library);
    if (world.rank() == 0) of_root = run;
  });
  return of_root;
}

// Buckets of a tensor or two, of sizes that four ranks do not divide.
ReplayOrder in_small_buckets(ReplayOrder order) {
  order.bucket = Bytes(300);
  order.first_bucket = Bytes(20);
  return order;
}

}  // namespace

TEST_CASE("two and four ranks have after a step the weights of one rank on the joined batch") {
  for (const int ranks : {2, 4}) {
    for (const ReplayUpdate update : {ReplayUpdate::replicated, ReplayUpdate::sharded, ReplayUpdate::servers}) {
      const ReplayRun run = run_on_threads(order_of_perceptron(update), ranks);
      INFO(ranks << " ranks, " << name(update));
      CHECK(run.numbers == ReplayNumbers::learnt);
      CHECK(run.weights_error < 1e-6);
      if (update == ReplayUpdate::servers) continue;  // which get one bucket behind the backward pass
      const ReplayRun small = run_on_threads(in_small_buckets(order_of_perceptron(update)), ranks);
      CHECK(small.nodes.size() >= run.nodes.size() + 2);
      CHECK(small.weights_error < 1e-6);
    }
  }
}

TEST_CASE("a rank that does not get its gradients has other weights, and every rank's run ends") {
  const ReplayOrder order = order_of_perceptron(ReplayUpdate::replicated);
  std::vector<std::string> refusals(2);
  on_ranks(2, [&](World& world) {
    ThreadCommunicator forgetful([&world](const CollectiveCase& collective) {
      struct Forgetful : ThreadExchange {
        using ThreadExchange::ThreadExchange;
        std::vector<std::byte> received() override { return {}; }
      };
      return std::make_unique<Forgetful>(world, collective);
    });
    try {
      replayed(order, replay_plan(order, 2), world, forgetful);
    } catch (const std::runtime_error& e) {
      refusals[world.rank()] = e.what();
    }
  });
  for (const std::string& refusal : refusals) CHECK_THAT(refusal, Catch::Matchers::ContainsSubstring("weights differ"));
}

TEST_CASE("where one rank fails the others do not wait for it, and the test says its reason") {
  const auto one_fails = [] {
    on_ranks(3, [](World& world) {
      world.barrier();
      if (world.rank() == 1) throw std::runtime_error("no memory");
      world.barrier();
    });
  };
  CHECK_THROWS_WITH(one_fails(), "no memory");
}

// Of a step in float64: the gradient of -log sigmoid, by hand.
TEST_CASE("logistic regression's first step is the formula's") {
  ReplayOrder order;
  order.workload = "logreg-epsilon";
  order.batch = 16;
  order.optimizer = "sgd";
  const ReplayPlan plan = replay_plan(order, 1);
  LearntNetwork network(plan, 0, 1, 1);
  const std::vector<float> before = network.weights();
  for (StepVertex vertex = 0; vertex < plan.graph.size(); ++vertex)
    if (workloads::is_compute(plan.graph[vertex])) network.run(vertex);
  const std::vector<float> after = network.weights();

  std::vector<double> gradient(before.size());
  for (std::uint64_t i = 0; i < 16; ++i) {
    kernels::RandomNumbers sample(1000 + i);
    std::vector<double> features;
    double logit = 0;
    for (const float weight : before) {
      features.push_back(sample.uniform(-1, 1));
      logit += double(weight) * features.back();
    }
    const double slope = 1 / (1 + std::exp(-logit)) - double(sample.below(2));
    for (std::size_t f = 0; f < features.size(); ++f) gradient[f] += slope * features[f] / 16;
  }
  for (std::size_t f = 0; f < before.size(); ++f) {
    const double weight = before[f], rate = double(kernels::kUpdate.rate), decay = double(kernels::kUpdate.decay);
    CHECK(double(after[f]) == Approx(weight - rate * (gradient[f] + decay * weight)).epsilon(1e-5).margin(1e-7));
  }
}

TEST_CASE("a network with convolutions runs on operands of its own") {
  ReplayOrder order;
  order.workload = "resnet20-cifar";
  CHECK_FALSE(LearntNetwork::learns(replay_plan(order, 2)));
  order.workload = perceptron_file();
  CHECK(LearntNetwork::learns(replay_plan(order, 2)));
  order.optimizer = "lars";  // needs norms of whole tensors
  CHECK_FALSE(LearntNetwork::learns(replay_plan(order, 2)));
}

}  // namespace mlsim::test
