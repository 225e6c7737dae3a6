// A pull or a push by formula, with one node of each class, and with every node and every pair.
#include <memory>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/engine/flow_network.hpp"
#include "sim/fold/program_run.hpp"
#include "sim/parameter_server/server_cost.hpp"
#include "sim/parameter_server/server_exchange.hpp"
#include "sim/parameter_server/server_traffic.hpp"
#include "sim/parameter_server/tensor_placement.hpp"
#include "topologies/cluster/defects.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

constexpr Bytes kGradients(100e6);

Seconds simulated(const ServerTraffic& traffic) {
  const FlowProgram program = server_program(traffic, {1, 1});
  const auto network = make_max_min_flow_network();
  PlacedProgram placed(*network, program);
  Seconds end;
  const auto run = placed.start(kGradients, [&](std::uint32_t) { end = max(end, network->now()); });
  network->at(Seconds(0), [&] {
    run->arrive(0);
    run->arrive(1);
  });
  network->run();
  CHECK(run->unfinished().empty());
  return end;
}

struct Answers {
  Seconds formula, folded, full;
  std::size_t folded_flows = 0, full_flows = 0;
};

std::size_t flows(const ServerTraffic& traffic) { return server_program(traffic, {1}).flow_count(); }

Answers answers(const Cluster& cluster, const ServerPlan& plan, CollectiveKind kind) {
  const LinkEfficiency links = fitted_links();
  const ServerTraffic folded = folded_traffic(cluster, plan, links, kind),
                      full = full_traffic(cluster, plan, links, kind);
  return {ServerCost(cluster, plan, links, kind).time(kGradients), simulated(folded), simulated(full), flows(folded),
          flows(full)};
}

void check_alike(const std::string& topology, const ServerPlan& plan, double tolerance = 1e-6,
                 const Defects& defects = {}) {
  const Cluster cluster = build_cluster(topology, 0, defects);
  for (const CollectiveKind kind : {CollectiveKind::parameter_pull, CollectiveKind::parameter_push}) {
    const Answers all = answers(cluster, plan, kind);
    INFO(topology << (kind == CollectiveKind::parameter_pull ? " pull" : " push"));
    CHECK(all.folded.value == Approx(all.formula.value).epsilon(tolerance));
    CHECK(all.full.value == Approx(all.folded.value).epsilon(tolerance));
    CHECK(all.folded_flows <= all.full_flows);
  }
}

ServerPlan plan_with(std::vector<double> shares, ServerPlan::Device device = ServerPlan::Device::cpu) {
  ServerPlan plan;
  plan.device = device;
  plan.shares = std::move(shares);
  plan.tensors = 32;
  plan.rates = fitted_server_rates();
  return plan;
}

std::vector<double> even(std::size_t servers) {
  return std::vector<double>(servers, 1.0 / static_cast<double>(servers));
}

}  // namespace

TEST_CASE("variables in host memory cross PCIe twice, two accelerators to a switch, and the host adds them up") {
  const Cluster box = build_cluster("dgx1-p100", 0, {});
  const ServerPlan plan = plan_with({1});
  const Answers pull = answers(box, plan, CollectiveKind::parameter_pull),
                push = answers(box, plan, CollectiveKind::parameter_push);
  const double pcie = 0.76 * 15.75e9, wait = 2 * 150e-9 + 5.7e-6;
  CHECK(pull.formula.value == Approx(2 * 100e6 / pcie + wait));
  CHECK(pull.full.value == Approx(2 * 100e6 / pcie + wait));
  CHECK(push.formula.value == Approx((8 + 1) * 100e6 / plan.rates.sum.value + wait));
  CHECK(push.full.value == Approx((8 + 1) * 100e6 / plan.rates.sum.value + wait));
}

TEST_CASE("a pull and a push take the same time by formula, folded and with every pair") {
  check_alike("dgx1-p100", plan_with({1}));
  check_alike("ec2-p2:nodes=8", plan_with(even(8)));
  check_alike("ec2-p2:nodes=8", plan_with({0.5, 0.2, 0.1, 0.1, 0.05, 0.05, 0, 0}));
  check_alike("ec2-p2:nodes=4", plan_with({0.743, 0.2, 0.05, 0.007}, ServerPlan::Device::gpu));
  check_alike("dgx1-v100:nodes=4", plan_with({0.7, 0.1, 0.1, 0.1}));
  ServerPlan replicas = plan_with({0.4, 0.3, 0.2, 0.1});
  replicas.update = ServerPlan::Update::distributed_replicated;
  check_alike("ec2-p2:nodes=4", replicas);
  ServerPlan apart = plan_with({0.6, 0.4});
  apart.apart = 2;
  check_alike("ec2-p2:nodes=4", apart);
}

// tensorflow/benchmarks, variable_mgr.py: OverrideCachingDevice keeps one copy a worker, and
// aggregate_gradients_using_copy adds up before anything leaves it.
TEST_CASE("a variable and its gradient cross the network once a node, however many accelerators it has") {
  const double share = 0.743;  // of VGG-16's variables: the first fully connected layer
  for (const ServerPlan::Device device : {ServerPlan::Device::cpu, ServerPlan::Device::gpu}) {
    ServerPlan plan = plan_with({share, 0.1, 0.1, 0.057}, device);
    plan.tensors = 0;  // so that nothing waits for copies
    const double network = 3 * share * kGradients.value / plan.rates.rpc.value;
    for (const std::string per_node : {"1", "2", "4"}) {
      INFO(per_node << " a node");
      const Cluster cluster = build_cluster("horovod-25gbe-tcp:nodes=4:per_node=" + per_node, 0, {});
      const Answers pull = answers(cluster, plan, CollectiveKind::parameter_pull);
      CHECK(pull.full.value > network);
      CHECK(pull.full.value < 1.15 * network);
      CHECK(pull.formula.value == Approx(pull.full.value));
    }
  }
}

TEST_CASE("variables spread over the accelerators of a box: the fullest one sends to all others") {
  const ServerPlan plan = plan_with({0.65, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05}, ServerPlan::Device::gpu);
  const Cluster box = build_cluster("ec2-p2", 0, {});
  const Answers pull = answers(box, plan, CollectiveKind::parameter_pull);
  CHECK(pull.formula.value == Approx(7 * 0.65 * 100e6 / (0.76 * 15.75e9)).epsilon(0.01));
  CHECK(pull.full.value == Approx(pull.formula.value).epsilon(0.02));
}

TEST_CASE("slow links, uneven leaves and thin uplinks fold as they are") {
  Defects slow;
  slow.links = {parse_slow_link("gpu2-pcie1:0.2"), parse_slow_link("node2-network:0.5")};
  check_alike("ec2-p2:nodes=4", plan_with(even(4)), 1e-6, slow);
  check_alike("ec2-p2:nodes=6,nodes_per_leaf=4,oversubscription=8", plan_with(even(6)), 0.02);
}

TEST_CASE("more servers than nodes leave the busiest server waiting for the workers' links") {
  ServerPlan apart = plan_with({0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1});
  apart.apart = 8;
  check_alike("ec2-p2:nodes=2", apart, 0.25);
}

TEST_CASE("4096 workers with 512 uneven servers take a handful of flows") {
  const Cluster cluster = build_cluster("ec2-p2:nodes=512", 0, {});
  const auto tensors = trained_tensors(load_model("resnet50"));
  const ServerPlan plan = plan_with(server_shares(tensors, 512, TensorPlacement::round_robin));
  const ServerTraffic folded = folded_traffic(cluster, plan, fitted_links(), CollectiveKind::parameter_push);
  const Seconds time = simulated(folded);
  CHECK(flows(folded) < 1000);
  CHECK(time.value ==
        Approx(ServerCost(cluster, plan, fitted_links(), CollectiveKind::parameter_push).time(kGradients).value));
}

TEST_CASE("a grid has no hosts to keep variables on") {
  const Cluster grid = build_cluster("torus4x4", 0, {});
  CHECK_THROWS_AS(folded_traffic(grid, plan_with({1}), fitted_links(), CollectiveKind::parameter_pull), Infeasible);
}
