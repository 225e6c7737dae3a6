#include "sim/mesh/mesh_planner.hpp"

#include <functional>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/collectives/algorithms.hpp"
#include "sim/fold/folded_program.hpp"
#include "sim/mesh/mesh_axes.hpp"
#include "sim/mesh/mesh_mapping.hpp"
#include "sim/mesh/simulate_collective.hpp"
#include "tests/oracles/symbolic.hpp"
#include "tests/sim/collectives/bare_clusters.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

ExchangeKey between(AxisSet set, CollectiveKind kind = CollectiveKind::all_reduce, int role = 0) {
  return {kind, set, role, 0};
}

// Each plan has hops of its own.
PlannedCollective plan_exchange(const Cluster& cluster, const DeviceMesh& mesh, const ExchangeKey& key, Bytes bytes,
                                const LinkEfficiency& links, const std::optional<std::string>& forced = {}) {
  HopTable hops(cluster, links);
  return sim::plan_exchange(hops, mesh, key, bytes, forced);
}

ChosenMesh choose_mesh(const Cluster& cluster, const Parallelism& parallelism,
                       const std::map<ExchangeKey, Traffic>& traffic, const LinkEfficiency& links,
                       const std::string& asked = {}) {
  MeshTable table(cluster, links);
  return sim::choose_mesh(table, parallelism, traffic, asked);
}

ExchangeKey transfer(int role, int peer) { return {CollectiveKind::send_receive, {}, role, peer}; }

struct MeshCase {
  Cluster cluster;
  Parallelism parallelism;
};

std::vector<MeshCase> mesh_cases() {
  Cluster unequal = switched_cluster(3, 4);
  unequal.rank_vertex.pop_back();
  unequal.rank_vertex.pop_back();
  return {{grid_cluster({{4, true}, {4, true}}), axes(4, 4)},
          {grid_cluster({{4, true}, {4, true}}), axes(4, 1, 2, 2)},
          {grid_cluster({{8, true}, {4, false}}), axes(16, 2)},
          {grid_cluster({{8, true}, {4, true}}), axes(4, 2, 1, 4)},
          {grid_cluster({{12, false}, {1, false}}), axes(4, 3)},
          {grid_cluster({{4, true}, {2, false}, {4, true}}), axes(4, 4, 1, 2)},
          {switched_cluster(2, 8), axes(4, 1, 4)},
          {switched_cluster(2, 8), axes(2, 1, 2, 4)},
          {build_cluster("dgx1-v100:nodes=2"), axes(4, 1, 4)},
          {unequal, axes(5, 2)}};
}

const std::vector<CollectiveKind>& group_kinds() {
  using enum CollectiveKind;
  static const std::vector<CollectiveKind> all{all_reduce, reduce_scatter, all_gather,
                                               broadcast,  all_to_all,     halo_exchange};
  return all;
}

// Calls visit(mesh, key) for all meshes of a case and all that can be exchanged on them.
template <class Visit>
void for_each_exchange(const MeshCase& each, Visit visit) {
  for (const DeviceMesh& mesh : possible_meshes(each.cluster, each.parallelism)) {
    INFO(each.cluster.name << ": " << mesh.text());
    const int stages = each.parallelism[Axis::pipeline];
    for (const AxisSet set :
         {AxisSet(Axis::data), AxisSet(Axis::spatial), AxisSet(Axis::tensor), Axis::data | Axis::spatial})
      if (each.parallelism.size_of(set) > 1)
        for (const CollectiveKind kind : group_kinds()) visit(mesh, between(set, kind, stages - 1));
    if (stages > 1) visit(mesh, transfer(stages - 1, stages - 2));
  }
}

double seconds(const Schedule& schedule, const Cluster& cluster, Bytes bytes, Fidelity fidelity,
               const LinkEfficiency& links = ideal_links()) {
  return simulate_collective(schedule, cluster, links, bytes, fidelity, Engine::max_min).time.value;
}

}  // namespace

TEST_CASE("every algorithm does in every group of a mesh what its collective promises, and nothing between groups") {
  for (const MeshCase& each : mesh_cases())
    for_each_exchange(each, [&](const DeviceMesh& mesh, const ExchangeKey& key) {
      const Bytes bytes(96);
      const PlannedCollective plan = plan_exchange(each.cluster, mesh, key, bytes, ideal_links());
      const RankLayout layout =
          key.axes.empty() ? RankLayout{&each.cluster, plan.schedule.groups, {{2}}, false}
                           : mesh.layout(each.cluster, key.axes, each.parallelism[Axis::pipeline] > 1 ? key.role : -1);
      for (const std::string& algorithm : possible_algorithms(layout, key.kind)) {
        INFO(name(key.kind) << " over " << to_text(key.axes) << ", " << algorithm);
        const Schedule schedule = plan_exchange(each.cluster, mesh, key, bytes, ideal_links(), algorithm).schedule;
        CHECK(schedule_fault(schedule) == "");
        const auto ranks = static_cast<std::size_t>(key.axes.empty() ? 2 : each.parallelism.size_of(key.axes));
        for (const auto& group : groups_of(schedule)) CHECK(group.size() == ranks);
      }
    });
}

TEST_CASE("a collective that reaches into another group or stage is seen") {
  const Cluster torus = grid_cluster({{4, true}, {2, false}});
  const DeviceMesh mesh = parse_mesh(torus, axes(4, 2), "spatial:x,data:x,data:y");
  Schedule schedule = plan_exchange(torus, mesh, between(Axis::spatial), Bytes(64), ideal_links(), "ring").schedule;
  REQUIRE(schedule_fault(schedule) == "");
  Schedule crossed = schedule;
  std::swap(crossed.lanes[0].phases[0].groups[0].ranks[1], crossed.lanes[0].phases[0].groups[1].ranks[1]);
  CHECK_THAT(schedule_fault(crossed), ContainsSubstring("of different groups meet"));
  Schedule unasked = schedule;
  unasked.groups.pop_back();
  CHECK_THAT(schedule_fault(unasked), ContainsSubstring("takes part but is in no group"));
  Schedule missing = schedule;
  missing.lanes[0].phases[0].groups.pop_back();
  CHECK_THAT(schedule_fault(missing), ContainsSubstring("misses the data of rank"));
}

TEST_CASE("in groups of a mesh folded is fluid, and the formula is near both") {
  const Bytes bytes(9.6e6);
  for (const MeshCase& each : mesh_cases())
    for_each_exchange(each, [&](const DeviceMesh& mesh, const ExchangeKey& key) {
      const PlannedCollective plan = plan_exchange(each.cluster, mesh, key, bytes, ideal_links());
      INFO(name(key.kind) << " over " << to_text(key.axes) << ", " << plan.schedule.algorithm);
      const double fluid = seconds(plan.schedule, each.cluster, bytes, Fidelity::fluid);
      CHECK(seconds(plan.schedule, each.cluster, bytes, Fidelity::folded) == Approx(fluid).epsilon(1e-9));
      // Lanes that do not pass their phases in step, and pipelines over hops of unlike speed: see ScheduleCost.
      const std::string& algorithm = plan.schedule.algorithm;
      const bool rough =
          algorithm == "torus-2d-both" || algorithm == "torus-3d" || key.kind == CollectiveKind::broadcast;
      CHECK(plan.closed_form.value == Approx(fluid).epsilon(rough ? 0.3 : 0.06));
    });
}

TEST_CASE("what was chosen for one stage is chosen for another where its groups cost the same, as planned alone") {
  const Bytes bytes(9.6e6);
  for (const MeshCase& each : mesh_cases()) {
    HopTable hops(each.cluster, ideal_links());
    std::map<std::string, StageChoices> stages;  // by mesh
    for_each_exchange(each, [&](const DeviceMesh& mesh, ExchangeKey key) {
      const int last = key.axes.empty() ? key.role : each.parallelism[Axis::pipeline] - 1;
      for (key.role = key.axes.empty() ? last : 0; key.role <= last; ++key.role) {
        const PlannedCollective alone = plan_exchange(each.cluster, mesh, key, bytes, ideal_links());
        const PlannedCollective beside = sim::plan_exchange(hops, mesh, key, bytes, {}, &stages[mesh.text()]);
        INFO(name(key.kind) << " over " << to_text(key.axes) << " of stage " << key.role);
        CHECK(beside.schedule.algorithm == alone.schedule.algorithm);
        CHECK(beside.reason.text == alone.reason.text);
        CHECK(beside.cost == alone.cost);
      }
    });
  }
}

// models.md 2.4: with m neighbours on X the gradient rings along X are strided and m of them share each link: m times
// as long for a byte as with the links to themselves.
TEST_CASE("gradient rings of m model-parallel neighbours on X take m times as long for their bytes") {
  const Cluster ring = grid_cluster({{16, true}, {1, false}});
  const double payload = 1e9, rate = 50e9;
  for (const int m : {2, 4}) {
    const DeviceMesh mesh = parse_mesh(ring, axes(16 / m, m), "spatial:x,data:x");
    const auto time = [&](double bytes) {
      return plan_exchange(ring, mesh, between(Axis::data), Bytes(bytes), ideal_links(), "ring-bidirectional")
          .closed_form.value;
    };
    const double n = 16.0 / m;
    // Parameters that the neighbours share out: payload / m. Both directions, m rings over each link.
    const double expected = m * 2 * (n - 1) / n * (payload / m) / (2 * rate);
    CHECK(time(payload / m) - time(0) == Approx(expected).epsilon(1e-6));
    CHECK(time(0) == Approx(2 * (n - 1) * m * 1e-6));  // m links a hop
    const Schedule schedule =
        plan_exchange(ring, mesh, between(Axis::data), Bytes(payload / m), ideal_links(), "ring-bidirectional")
            .schedule;
    for (const Fidelity fidelity : {Fidelity::folded, Fidelity::fluid, Fidelity::message})
      CHECK(seconds(schedule, ring, Bytes(payload / m), fidelity) ==
            Approx(expected + 2 * (n - 1) * m * 1e-6).epsilon(1e-4));
  }
}

TEST_CASE("in two dimensions columns have their links to themselves and strided rows share theirs") {
  const Cluster torus = grid_cluster({{8, true}, {8, true}});
  const DeviceMesh mesh = parse_mesh(torus, axes(32, 2), "spatial:x,data:x,data:y");
  const double payload = 1e9, rate = 50e9;
  const auto plan = [&](double bytes) {
    return plan_exchange(torus, mesh, between(Axis::data), Bytes(bytes), ideal_links(), "torus-2d");
  };
  // Half the payload each way: columns of 8, then rows of 4 with an eighth, two rings a link.
  const double expected = 2 * (7.0 / 8 + 2 * 3.0 / 4 / 8) * payload / (2 * rate);
  CHECK(plan(payload).closed_form.value - plan(0).closed_form.value == Approx(expected).epsilon(1e-6));
}

TEST_CASE("one group of all ranks is the collective of the cluster") {
  const Cluster cluster = build_cluster("dgx1-v100:nodes=2");
  const DeviceMesh mesh = possible_meshes(cluster, axes(16)).front();
  const Bytes bytes(1e8);
  const auto plan = plan_exchange(cluster, mesh, between(Axis::data), bytes, fitted_links());
  const auto whole = plan_collective(cluster, CollectiveKind::all_reduce, bytes, fitted_links());
  CHECK(plan.closed_form == whole.closed_form);
  CHECK(plan.reason == whole.reason);
  CHECK(plan.schedule.groups.empty());
}

TEST_CASE("a group of one rank has nothing to exchange") {
  const Cluster torus = grid_cluster({{4, true}, {1, false}});
  const DeviceMesh mesh = possible_meshes(torus, axes(4)).front();
  const auto plan = plan_exchange(torus, mesh, between(Axis::tensor), Bytes(1e6), ideal_links());
  CHECK(plan.closed_form == Seconds(0));
  CHECK(plan.reason.text == "a single rank has nothing to exchange");
}

TEST_CASE("NVLink rings run in all groups of the nodes, and rails of a group share its NICs") {
  const Cluster boxes = build_cluster("dgx1-v100:nodes=2");
  const DeviceMesh mesh = parse_mesh(boxes, axes(2, 1, 8), "tensor:node,data:network");
  const auto inside = plan_exchange(boxes, mesh, between(Axis::tensor), Bytes(1e9), ideal_links());
  CHECK(inside.schedule.algorithm == "nvlink-rings");
  CHECK(inside.schedule.lanes.size() == 6);
  CHECK(inside.schedule.lanes[0].phases[0].groups.size() == 2);
  // 4 ranks a node on one NIC of 10 GB/s: four rails of one payload each.
  const Cluster nodes = switched_cluster(2, 4);
  const DeviceMesh rails = parse_mesh(nodes, axes(2, 1, 4), "tensor:node,data:network");
  const auto outside = plan_exchange(nodes, rails, between(Axis::data), Bytes(1e9), ideal_links(), "ring");
  CHECK(outside.closed_form.value == Approx(4 * 1e9 / 10e9 + 2 * 10e-6));
}

TEST_CASE("a transfer carries a message from each rank of a stage to its peer") {
  const Cluster nodes = switched_cluster(2, 4);
  const DeviceMesh mesh = parse_mesh(nodes, axes(1, 1, 4, 2), "tensor:node,pipeline:network");
  const auto plan = plan_exchange(nodes, mesh, transfer(1, 0), Bytes(1e6), ideal_links());
  CHECK(plan.schedule.algorithm == "point-to-point");
  CHECK(plan.schedule.groups == std::vector<std::vector<int>>{{4, 0}, {5, 1}, {6, 2}, {7, 3}});
  CHECK(schedule_fault(plan.schedule) == "");
  CHECK(plan.closed_form.value == Approx(10e-6 + 4e6 / 10e9));
}

TEST_CASE("an algorithm that cannot run in groups is refused with those that can") {
  const Cluster torus = grid_cluster({{4, true}, {4, true}});
  const DeviceMesh mesh = parse_mesh(torus, axes(4, 4), "spatial:x,data:y");
  const auto plan = [&](const std::string& algorithm) {
    return plan_exchange(torus, mesh, between(Axis::data), Bytes(8), ideal_links(), algorithm);
  };
  CHECK_THROWS_AS(plan("rign"), InputError);
  CHECK_THROWS_WITH(plan("rign"), ContainsSubstring("did you mean \"ring\"?"));
  CHECK_THROWS_AS(plan("torus-2d"), Infeasible);
  CHECK_THROWS_WITH(plan("torus-2d"), ContainsSubstring("in groups of 4; these can: ring,"));
}

TEST_CASE("tensor parallelism stays inside nodes, and a question's own mapping is taken as it is") {
  const Cluster cluster = switched_cluster(4, 4);
  const Parallelism parallelism = axes(4, 1, 4);
  const std::map<ExchangeKey, Traffic> traffic{{between(Axis::tensor), {Bytes(1e7), 48, Bytes(48e7)}},
                                               {between(Axis::data), {Bytes(1e8), 1, Bytes(1e8)}}};
  const ChosenMesh chosen = choose_mesh(cluster, parallelism, traffic, fitted_links());
  CHECK(chosen.mesh.text() == "tensor 4 on node, data 4 on network");
  CHECK_THAT(chosen.reason.text, ContainsSubstring("of 2 ways; the worst would take"));
  // Gradients only: data parallelism goes inside.
  const std::map<ExchangeKey, Traffic> gradients{{between(Axis::data), {Bytes(1e8), 4, Bytes(4e8)}}};
  CHECK(choose_mesh(cluster, parallelism, gradients, fitted_links()).mesh.text() ==
        "data 4 on node, tensor 4 on network");
  const ChosenMesh asked = choose_mesh(cluster, parallelism, gradients, fitted_links(), "tensor:node,data:network");
  CHECK(asked.mesh.text() == "tensor 4 on node, data 4 on network");
  CHECK(asked.reason.text == "as asked");
  CHECK(choose_mesh(cluster, axes(16), gradients, fitted_links()).reason.text == "the only way");
  CHECK(choose_mesh(cluster, parallelism, {}, fitted_links()).reason.text == "the usual way; nothing is exchanged");
}

TEST_CASE("the chosen mesh is the quickest by the plans of every one") {
  const Cluster torus = grid_cluster({{8, true}, {4, true}});
  const Parallelism parallelism = axes(8, 4);
  const std::map<ExchangeKey, Traffic> traffic{
      {between(Axis::spatial, CollectiveKind::halo_exchange), {Bytes(1e6), 100, Bytes(1e8)}},
      {between(Axis::data | Axis::spatial), {Bytes(1e8), 1, Bytes(1e8)}},
      {between(Axis::data), {Bytes(2e8), 1, Bytes(2e8)}}};
  const auto total = [&](const DeviceMesh& mesh) {
    double sum = 0;
    for (const auto& [key, said] : traffic)
      sum += said.count * plan_exchange(torus, mesh, key, said.total / said.count, fitted_links()).closed_form.value;
    return sum;
  };
  const double chosen = total(choose_mesh(torus, parallelism, traffic, fitted_links()).mesh);
  for (const DeviceMesh& mesh : possible_meshes(torus, parallelism)) CHECK(chosen <= 1.1 * total(mesh));
}

TEST_CASE("what is known of one parallelism's meshes does not change the choice for another") {
  const Cluster boxes = build_cluster("dgx-a100:nodes=8");
  MeshTable shared(boxes, fitted_links());
  for (const double bytes : {1e6, 1e8, 1e6})
    for (const auto& [data, tensor] : {std::pair(8, 8), std::pair(16, 4), std::pair(8, 8)}) {
      const Parallelism parallelism = axes(data, 1, tensor);
      const std::map<ExchangeKey, Traffic> traffic{
          {between(Axis::tensor, CollectiveKind::all_gather), {Bytes(bytes), 48, Bytes(24 * bytes)}},
          {between(Axis::data), {Bytes(1e8), 1, Bytes(1e8)}}};
      const ChosenMesh known = sim::choose_mesh(shared, parallelism, traffic);
      const ChosenMesh fresh = choose_mesh(boxes, parallelism, traffic, fitted_links());
      CHECK(known.mesh.text() == fresh.mesh.text());
      CHECK(known.reason == fresh.reason);
    }
}

TEST_CASE("4096 ranks are laid out, planned and folded to a few classes") {
  const Cluster pod = build_cluster("torus128x32"), boxes = build_cluster("dgx-a100:nodes=512");
  const std::map<ExchangeKey, Traffic> pod_traffic{
      {between(Axis::spatial, CollectiveKind::halo_exchange), {Bytes(1e6), 100, Bytes(1e8)}},
      {between(Axis::data | Axis::spatial), {Bytes(1e8), 1, Bytes(1e8)}}};
  CHECK(choose_mesh(pod, axes(1024, 4), pod_traffic, fitted_links()).mesh.coordinate(1, Axis::spatial) == 1);
  const DeviceMesh mesh = parse_mesh(pod, axes(1024, 4), "spatial:x,data:x,data:y");
  const std::vector<std::uint32_t> alike(4096, 0);
  for (const ExchangeKey& key : {between(Axis::data), between(Axis::spatial, CollectiveKind::halo_exchange)}) {
    const auto plan = plan_exchange(pod, mesh, key, Bytes(1e8), fitted_links());
    const FoldedProgram program = folded_program(plan.schedule, pod, fitted_links(), alike);
    INFO(plan.schedule.algorithm);
    CHECK(program.folded);
    CHECK(program.program.rank_classes <= 128);
  }
  const DeviceMesh stages = possible_meshes(boxes, axes(64, 1, 8, 8)).front();
  const auto plan =
      plan_exchange(boxes, stages, between(Axis::data, CollectiveKind::all_reduce, 3), Bytes(1e8), fitted_links());
  const FoldedProgram program = folded_program(plan.schedule, boxes, fitted_links(), alike);
  CHECK(program.folded);
  CHECK(program.program.rank_classes == 2);  // those of the stage, and the others
}
