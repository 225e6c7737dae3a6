// Collectives that were measured on the asked system: which curve is used, and that every fidelity ends it alike.
#include "sim/exchange/measured_collective.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "core/profile/rank_scaling.hpp"
#include "core/text/errors.hpp"
#include "costs/nccl_structure.hpp"
#include "scratch_folder.hpp"
#include "sim/answer/collective_answer.hpp"
#include "sim/answer/predict.hpp"
#include "sim/collectives/nccl/system.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/mesh/communicator.hpp"
#include "sim/options/options_text.hpp"
#include "topologies/cluster/route.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// A straight line: `seconds` whatever the payload.
CollectiveCurve curve_of(const std::string& library, int nodes, int ranks_per_node, double seconds) {
  CollectiveCurve curve;
  curve.communicator = library;
  curve.device = "cuda";
  curve.machine = "dgx-a100";
  curve.nodes = nodes;
  curve.ranks_per_node = ranks_per_node;
  curve.knots = {{Bytes(8), Seconds(seconds), 0}, {Bytes(1e12), Seconds(seconds), 0}};
  curve.residual = {0.01, 0.05, 60};
  curve.source = {Provenance::measured, "a host", "2026-11-21"};
  return curve;
}

Profile profile_of(std::vector<CollectiveCurve> curves) {
  Profile profile;
  profile.accelerator = "a100-sxm4-40gb";
  profile.collectives = std::move(curves);
  return profile;
}

PredictRequest ask(std::vector<Profile> profiles, int nodes = 2) {
  PredictRequest request;
  request.topology = "dgx-a100:nodes=" + std::to_string(nodes);
  request.workload = "resnet50";
  request.batch_per_accelerator = 32;
  request.precision = Precision::fp32;
  request.own_profiles = std::move(profiles);
  return request;
}

CollectiveQuestion all_reduce(std::vector<Profile> profiles, const std::string& topology = "dgx-a100:nodes=2") {
  CollectiveQuestion question;
  question.topology = topology;
  question.payload = Bytes(1e6);
  question.profiles = std::move(profiles);
  return question;
}

std::string algorithm(const CollectiveQuestion& question) { return answer_collective(question).algorithm; }

}  // namespace

TEST_CASE("every fidelity ends a measured collective alike, slow ranks or not") {
  for (const char* slow : {"", "1:0.5"}) {
    PredictRequest request = ask({profile_of({curve_of("nccl", 2, 8, 0.1)})});
    if (*slow != '\0') set_option(request.options, "slow_rank", slow);
    request.fidelity = Fidelity::closed;
    const double closed = predict(request).step.time.value;
    for (const Fidelity fidelity : {Fidelity::folded, Fidelity::fluid, Fidelity::message}) {
      request.fidelity = fidelity;
      const Prediction p = predict(request);
      CHECK(p.step.time.value == Approx(closed).epsilon(1e-9));
      CHECK(p.simulation.flows == 0);
    }
  }
}

TEST_CASE("an answer names the measurement that its exchange rests on") {
  const Prediction p = predict(ask({profile_of({curve_of("nccl", 2, 8, 0.1)})}));
  CHECK_THAT(joined(p.inputs.exchanges, "; ").text,
             ContainsSubstring("all-reduce measured (nccl, 2 x 8 ranks, 2026-11-21)"));
  const auto entry = std::find_if(p.provenance.begin(), p.provenance.end(),
                                  [](const auto& each) { return each.figure == "all-reduce"; });
  REQUIRE(entry != p.provenance.end());
  CHECK(entry->source.provenance == Provenance::measured);
}

TEST_CASE("a curve that was completed is named so, and is still to be measured") {
  CollectiveCurve curve = curve_of("nccl", 2, 8, 0.1);
  curve.source.provenance = Provenance::fitted;
  curve.points = {{Bytes(1024), {Seconds(0.1), Seconds(0.1), Seconds(0.1), 1, 0}, {}}};
  curve.held_back = {0.07, 0.26, 254};
  const Prediction p = predict(ask({profile_of({curve})}));
  CHECK_THAT(joined(p.inputs.exchanges, "; ").text,
             ContainsSubstring("all-reduce by NCCL's structure (nccl, 2 x 8 ranks, 1 size measured)"));
  const auto next = std::find_if(p.measure_next.begin(), p.measure_next.end(),
                                 [](const auto& each) { return each.what.text.starts_with("all-reduce"); });
  REQUIRE(next != p.measure_next.end());
  CHECK_THAT(next->what.text, ContainsSubstring("1 size measured) so far"));
  CHECK(next->command == "mpirun -n 16 mlsim calibrate --collectives all-reduce --library nccl");
}

TEST_CASE("a collective by itself takes what its curve says") {
  const CollectiveAnswer answer = answer_collective(all_reduce({profile_of({curve_of("nccl", 2, 8, 0.5)})}));
  CHECK(answer.time.value == Approx(0.5));
  CHECK(answer.algorithm == "measured (nccl, 2 x 8 ranks, 2026-11-21)");
  CHECK(answer.communicator == "nccl");
  CHECK(answer.bus_bandwidth.value == Approx(1e6 / 0.5 * 2 * 15 / 16));
}

TEST_CASE("a collective that nobody measured takes what NCCL's structure says, with the errors of systems left out") {
  const CollectiveAnswer answer = answer_collective(all_reduce({}));
  CHECK(answer.algorithm == "by NCCL's structure (nccl, 2 x 8 ranks)");
  const Cluster cluster = build_cluster("dgx-a100:nodes=2", 0);
  const auto quickest =
      nccl_quickest(nccl_system(cluster), CollectiveKind::all_reduce, Bytes(1e6), {}, fitted_nccl_constants());
  CHECK(answer.time == quickest->time);
  REQUIRE(answer.interval);
  CHECK((*answer.interval)[0] == Approx(answer.time.value / 1.26));
  CHECK((*answer.interval)[1] == Approx(answer.time.value * 1.26));
}

TEST_CASE("NCCL's structure is of its sums and gathers on NVIDIA's GPUs where nothing nearer is known") {
  const auto by_structure = [](CollectiveQuestion question, const Settings& settings = {}) {
    for (const auto& [key, value] : settings) set_option(question.options, key, value);
    return algorithm(question).starts_with("by NCCL's structure");
  };
  CHECK(by_structure(all_reduce({}, "dgx-h100")));
  CHECK(by_structure(all_reduce({}, "p3dn:nodes=2")));
  CHECK(by_structure(all_reduce({}, "pcie-server:accelerator=rtx-4090")));
  CHECK_FALSE(by_structure(all_reduce({}, "dgx-a100:nodes=2"), {{"algorithm", "ring"}}));
  CHECK_FALSE(by_structure(all_reduce({}, "mi300x-8")));  // RCCL
  CHECK_FALSE(by_structure(all_reduce({}, "tpu-v3-pod:slice=4x4")));
  CHECK_FALSE(by_structure(all_reduce({}, "gke-t4:nodes=2")));  // its file says what NCCL reaches there
  CHECK_FALSE(by_structure(all_reduce({}, "gke-t4:nodes=2"), {{"communicator", "gloo"}}));
  CollectiveQuestion gather = all_reduce({});
  gather.kind = CollectiveKind::all_gather;
  CHECK(by_structure(gather));
  gather.kind = CollectiveKind::all_to_all;
  CHECK_FALSE(by_structure(gather));
  CollectiveCurve messages = curve_of("nccl", 2, 1, 1);
  messages.kind = CollectiveKind::send_receive;
  messages.precision = Precision::fp32;
  messages.segments = {{Bytes(0), microseconds(50), 1e-9}};
  CHECK_FALSE(by_structure(all_reduce({profile_of({messages})})));
}

TEST_CASE("only a curve of the very same question is used") {
  const auto other = [](auto change) {
    CollectiveCurve curve = curve_of("nccl", 2, 8, 0.5);
    change(curve);
    return algorithm(all_reduce({profile_of({curve})}));
  };
  const auto measured = ContainsSubstring("measured");
  CHECK_THAT(other([](auto&) {}), measured);
  CHECK_THAT(other([](auto& c) { c.nodes = 4; }), !measured);
  CHECK_THAT(other([](auto& c) { c.ranks_per_node = 4; }), !measured);
  CHECK_THAT(other([](auto& c) { c.communicator = "mpi"; }), !measured);
  CHECK_THAT(other([](auto& c) { c.device = "cpu"; }), !measured);
  // NCCL counts bytes, and Gloo and MPI sum numbers.
  CHECK_THAT(other([](auto& c) { c.precision = Precision::fp16; }), ContainsSubstring("of fp16"));
  CHECK_THAT(other([](auto& c) { c.kind = CollectiveKind::broadcast; }), !measured);
  CHECK_THAT(other([](auto& c) { c.machine = "dgx1-v100"; }), !measured);
  // Without a machine of its own it is of the profile's.
  CHECK_THAT(other([](auto& c) { c.machine = ""; }), !measured);
  CollectiveCurve nameless = curve_of("nccl", 2, 8, 0.5);
  nameless.machine = "";
  Profile profile = profile_of({nameless});
  profile.machine = "dgx-a100";
  CHECK_THAT(algorithm(all_reduce({profile})), measured);
  // An algorithm that is asked for is simulated.
  CollectiveQuestion forced = all_reduce({profile});
  set_option(forced.options, "algorithm", "ring");
  CHECK(algorithm(forced) == "ring");
}

TEST_CASE("on a machine of one's own a curve without a machine belongs to its profile's accelerators") {
  const ScratchFolder folder;
  std::string machine = text_of(MLSIM_SOURCE_DIR "/examples/calibrated-processor/machine.yaml");
  const std::string one = "\n  accelerators: 1\n";
  machine.replace(machine.find(one), one.size(), "\n  accelerators: 2\n");
  const std::string file = folder.file("here.yaml", machine);
  CollectiveCurve curve = curve_of("gloo", 1, 2, 0.5);
  curve.device = "cpu";
  curve.machine = "";
  Profile profile = profile_of({curve});
  profile.accelerator = "cpu-intel-xeon";
  CHECK_THAT(algorithm(all_reduce({profile}, file)), ContainsSubstring("measured (gloo, 1 x 2 ranks"));
  profile.accelerator = "cpu-amd-epyc";
  CHECK_THAT(algorithm(all_reduce({profile}, file)), !ContainsSubstring("measured"));
  profile.accelerator = "cpu-intel-xeon";
  profile.collectives[0].machine = "there";
  CHECK_THAT(algorithm(all_reduce({profile}, file)), !ContainsSubstring("measured"));
}

TEST_CASE("of two profiles with a curve the first wins, and each library has its own") {
  const Profile near = profile_of({curve_of("nccl", 2, 8, 0.25)});
  const Profile far = profile_of({curve_of("nccl", 2, 8, 0.5), curve_of("mpi", 2, 8, 2)});
  CollectiveQuestion question = all_reduce({near, far});
  CHECK(answer_collective(question).time.value == Approx(0.25));
  set_option(question.options, "communicator", "mpi");  // known on this machine only because it was measured
  CHECK(answer_collective(question).time.value == Approx(2));
  question.profiles = {near};
  CHECK_THROWS_AS(answer_collective(question), InputError);
}

TEST_CASE("another number of nodes is scaled from those measured") {
  RankScaling scaling;
  scaling.communicator = "nccl";
  scaling.device = "cuda";
  scaling.machine = "dgx-a100";
  scaling.ranks_per_node = 8;
  scaling.nodes = {2, 4};
  scaling.fixed = Seconds(1);
  scaling.segments = {{Bytes(0), Seconds(0.01), 0}};
  Profile profile = profile_of({curve_of("nccl", 2, 8, 0.5)});
  profile.rank_scalings = {scaling};
  const CollectiveAnswer four = answer_collective(all_reduce({profile}, "dgx-a100:nodes=4"));
  CHECK(four.time.value == Approx(1 + 2 * 31 * 0.01));
  CHECK(four.algorithm == "measured (nccl, 4 x 8 ranks, scaled from 2 and 4 nodes)");
  CHECK(answer_collective(all_reduce({profile})).time.value == Approx(0.5));  // the curve itself
}

TEST_CASE("a point-to-point curve sets what messages between nodes reach") {
  CollectiveCurve curve = curve_of("nccl", 2, 1, 1);
  curve.kind = CollectiveKind::send_receive;
  curve.segments = {{Bytes(0), microseconds(50), 1e-9}, {Bytes(1e6), microseconds(80), 1e-10}};
  const Cluster cluster = build_cluster("dgx-a100:nodes=2", 0);
  const std::vector<Profile> profiles{profile_of({curve})};
  const MeasuredCollectives measured(cluster, refs_to(profiles));
  const LinkEfficiency links = communicator_links(cluster, "", Bytes(4), measured);
  CHECK(links[LinkKind::nic].share == Approx(10e9 / 25e9));  // 10 GB/s over NICs of 200 Gbit/s
  CHECK(links[LinkKind::nic].message.value == Approx(50e-6 - route(cluster, 0, 15).latency.value));
  CHECK(links[LinkKind::nic].source.provenance == Provenance::measured);
  CHECK(links.communicator == "nccl");
  CHECK(communicator_links(cluster, "", Bytes(2), measured)[LinkKind::nic].share ==
        fitted_links()[LinkKind::nic].share);
}

TEST_CASE("rates of large messages alone set the share of the NIC, and leave the time of a message as it is") {
  CollectiveCurve curve = curve_of("nccl", 2, 1, 1);
  curve.kind = CollectiveKind::send_receive;
  curve.segments = {{Bytes(0), Seconds(0), 1e-10}};
  curve.points = {{kLeastOfRate, {}, {}}};
  const Cluster cluster = build_cluster("dgx-a100:nodes=2", 0);
  const std::vector<Profile> profiles{profile_of({curve})};
  const LinkEfficiency links =
      communicator_links(cluster, "", Bytes(4), MeasuredCollectives(cluster, refs_to(profiles)));
  CHECK(links[LinkKind::nic].share == Approx(10e9 / 25e9));
  CHECK(links[LinkKind::nic].message == fitted_links()[LinkKind::nic].message);
}

TEST_CASE("AMD's GPUs exchange by RCCL, unless told otherwise") {
  CHECK(communicator(build_cluster("mi300x-8", 0), "") == "rccl");
  CHECK(communicator(build_cluster("dgx-h100", 0), "") == "nccl");
}

TEST_CASE("a measured collective is as sure as its fit and its replicas") {
  MeasuredCollective known{curve_of("nccl", 2, 8, 1), 16, ""};
  CHECK(known.log_spread(Bytes(100)) == Approx(std::log(1.05) / 1.645));
  auto& curve = std::get<CollectiveCurve>(known.known);
  curve.held_back = {0.1, 0.2, 5};
  CHECK(known.log_spread(Bytes(100)) == Approx(std::log(1.2) / 1.645));
  curve.replicas = {{{Bytes(0), Seconds(1), 0}}, {{Bytes(0), Seconds(4), 0}}};
  CHECK(known.log_spread(Bytes(100)) == Approx(std::log(2.0)));
}
