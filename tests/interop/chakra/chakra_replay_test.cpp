// Steps of Chakra's files: our own come back as they were, and ASTRA-sim's figures come out.
#include "interop/chakra/chakra_replay.hpp"

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "interop/chakra/recorded_exchange.hpp"
#include "interop/chakra/step_export.hpp"
#include "sim/options/options_text.hpp"
#include "sim/step/step.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "toy_ranks.hpp"

using namespace mlsim;
using namespace mlsim::interop;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Asked {
  std::string topology, workload, parallelism, settings;
};

// Both ways: as the step was costed, and from its files.
void check_same_step(const Asked& asked) {
  INFO(asked.topology << " " << asked.workload << " " << asked.parallelism << " " << asked.settings);
  PredictRequest request;
  request.topology = asked.topology;
  request.workload = asked.workload;
  request.parallelism = asked.parallelism;
  request.options = parse_options(asked.settings);
  request.builtin_profiles = builtin_profiles();
  const CostedStep step = costed_step(request);
  const EtExport exported = exported_step(step);
  const ScratchFolder folder;
  for (std::size_t rank = 0; rank < exported.ranks.size(); ++rank)
    folder.file("step." + std::to_string(rank) + ".et", et_bytes(exported.ranks[rank]));
  if (!exported.groups.empty()) folder.file("step.groups.json", groups_json(exported.groups));
  ChakraQuestion question;
  question.prefix = folder.path("step");
  question.topology = asked.topology;
  question.profiles = profiles_of(request);
  const Seconds direct = simulate_step(step.inputs(Fidelity::folded)).time;
  const ChakraReplay replay = chakra_replay(question);
  CHECK(replay.step.time.value == Approx(direct.value).margin(1e-6).epsilon(0));
  CHECK(replay.run.warnings.empty());
  CHECK(exported.rounding.most <= microseconds(0.5001));
}

// A ring of four at 50 GB/s of 2^30 and 500 ns.
Cluster astra_ring(const ScratchFolder& folder) {
  return build_cluster(folder.file("ring.yaml", R"(name: astra-ring
accelerator: v100-sxm2-16gb
node:
  accelerators: 4
  interconnect: nvlink-mesh
  nvlink:
    pairs: [[0, 1, 1], [1, 2, 1], [2, 3, 1], [3, 0, 1]]
    bandwidth: 50 GiB/s
    latency: 500 ns
  pcie: {accelerators_per_switch: 2, bandwidth: 15.75 GB/s, latency: 150 ns}
)"));
}

EtStep on_ring(const std::vector<std::vector<EtNode>>& ranks, const std::string& groups = "") {
  const ScratchFolder folder;
  const Cluster cluster = astra_ring(folder);
  if (!groups.empty()) folder.file("run.groups.json", groups);
  const EtRanks run = load_et_ranks(ranks_in(folder, ranks), "");
  const EtExchanges exchanges = exchanges_of(run);
  // ASTRA-sim adds up once bytes are there, at the local-mem-bw of 1600 that its figures were taken with.
  const ExchangePlace place{&cluster, ideal_links(), {}, "", "ring", BytesPerSecond(1600e9)};
  return simulated_step(run, exchanges, planned_ways(exchanges, place), place);
}

double ring_ns(EtCollective kind, double mebibytes) {
  const auto bytes = static_cast<std::int64_t>(mebibytes * (1 << 20));
  return on_ring(std::vector<std::vector<EtNode>>(4, {collective_node(1, kind, bytes)})).time.value * 1e9;
}

std::string run_refusal(const std::vector<std::vector<EtNode>>& ranks, const std::string& groups = "") {
  try {
    on_ring(ranks, groups);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("our own Chakra files are the step that was simulated, to a microsecond") {
  check_same_step({"dgx-a100:nodes=2", "bert-large", "", ""});
  check_same_step({"dgx-a100:nodes=2", "bert-large", "tensor=4", ""});
  check_same_step({"dgx-a100:nodes=2", "bert-large", "pipeline=4,micro_batches=8", ""});
  check_same_step({"dgx-a100:nodes=1", "resnet50", "", "sharded_update=on"});
  check_same_step({"torus4x4", "resnet50", "", ""});
}

// Ran under ASTRA-sim (518bd51, analytical backend, endpoint-delay 10): (n-1) rounds of alpha + bytes / rate, and for
// sums two reads and a write of each round's bytes at 1600 GB/s.
TEST_CASE("ASTRA-sim's times of collectives on a ring of four come out within 1 %") {
  CHECK(ring_ns(EtCollective::all_gather, 16) == Approx(939040).epsilon(0.01));
  CHECK(ring_ns(EtCollective::all_gather, 64) == Approx(3751540).epsilon(0.01));
  CHECK(ring_ns(EtCollective::reduce_scatter, 64) == Approx(1033405).epsilon(0.01));
  CHECK(ring_ns(EtCollective::all_reduce, 64) == Approx(1972435).epsilon(0.01));
  std::vector<std::vector<EtNode>> pairs;
  for (const std::string group : {"1", "1", "2", "2"})
    pairs.push_back({collective_node(1, EtCollective::all_reduce, 64 << 20, {}, group)});
  CHECK(on_ring(pairs, R"({"1": [0, 1], "2": [2, 3]})").time.value * 1e9 == Approx(1313943).epsilon(0.01));
  CHECK(on_ring({{message_node(1, 0, 0, 1, 1 << 20)}, {message_node(1, 1, 0, 1, 1 << 20)}, {}, {}}).time.value * 1e9 ==
        Approx(20031).epsilon(0.01));
}

TEST_CASE("a rank runs one kernel at a time, the least id first, beside its collectives") {
  // 1 and 2 are both ready: 100 + 50 us; the collective takes 188.75 us beside them, and 3 waits for it.
  const std::vector<EtNode> nodes{kernel_node(1, 100), kernel_node(2, 50),
                                  collective_node(3, EtCollective::all_gather, 1 << 20), kernel_node(4, 10, {3})};
  const EtStep step = on_ring(std::vector<std::vector<EtNode>>(4, nodes));
  CHECK(step.time.value * 1e6 == Approx(160).margin(0.01));
  CHECK(step.busy[0].value * 1e6 == Approx(160));
  std::vector<std::vector<EtNode>> late(4, nodes);
  late[2][2].after = {2};
  // The last rank comes at 150 us; (4 - 1) * (0.5 + 19.53) us later all have it.
  CHECK(on_ring(late).time.value * 1e6 == Approx(150 + 60.1 + 10).margin(0.1));
}

TEST_CASE("parents that a file lacks are left out with a warning, circles and doubled ids are refused") {
  const ScratchFolder folder;
  const EtRanks run = load_et_ranks(ranks_in(folder, {{kernel_node(1, 5, {9}), kernel_node(2, 5, {1, 8})}}), "");
  REQUIRE(run.warnings.size() == 1);
  CHECK_THAT(run.warnings[0], ContainsSubstring("2 times a node waits for one that is not in the file"));
  CHECK(run.ranks[0].nodes[1].after == std::vector<std::uint64_t>{1});
  CHECK_THAT(run_refusal({{kernel_node(1, 5, {2}), kernel_node(2, 5, {1})}}),
             ContainsSubstring("goes round in a circle"));
  CHECK_THAT(run_refusal({{kernel_node(1, 5), kernel_node(1, 6)}}), ContainsSubstring("has the id of"));
}

TEST_CASE("ranks come once each, and their exchanges agree") {
  const auto four = [](const EtNode& node) { return std::vector<std::vector<EtNode>>(4, {node}); };
  const ScratchFolder folder;
  const std::string prefix = ranks_in(folder, four(kernel_node(1, 5)));
  folder.file("run.02.et", text_of(prefix + ".2.et"));
  CHECK_THROWS_WITH(load_et_ranks(prefix, ""), ContainsSubstring("is of rank 2, as "));
  std::filesystem::remove(prefix + ".02.et");
  std::filesystem::remove(prefix + ".1.et");
  CHECK_THROWS_WITH(load_et_ranks(prefix, ""), ContainsSubstring("rank 1 is missing"));
  CHECK_THROWS_WITH(load_et_ranks(folder.path("other"), ""), ContainsSubstring("other.0.et, the file of rank 0"));

  auto sizes = four(collective_node(1, EtCollective::all_reduce, 64));
  sizes[3][0].bytes = 32;
  CHECK_THAT(run_refusal(sizes),
             ContainsSubstring("is all-reduce of 32 bytes; what rank 0 has in its place is all-reduce of 64"));
  auto lacking = four(collective_node(1, EtCollective::all_reduce, 64));
  lacking[2].clear();
  CHECK_THAT(run_refusal(lacking), ContainsSubstring("is on 3 of them only"));
  CHECK_THAT(run_refusal({{message_node(1, 0, 0, 1, 8)}, {}, {}, {}}), ContainsSubstring("is not on both of them"));
  CHECK_THAT(run_refusal({{}, {message_node(1, 0, 0, 1, 8)}, {}, {}}),
             ContainsSubstring("a send of rank 0, in the file of rank 1"));
  CHECK_THAT(run_refusal(four(collective_node(1, EtCollective::barrier, 64))), ContainsSubstring("are simulated"));
  CHECK_THAT(run_refusal(four(collective_node(1, EtCollective::all_reduce, 64, {}, "9"))),
             ContainsSubstring("is of group 9, whose ranks no file of groups says"));
  CHECK_THAT(run_refusal(four(collective_node(1, EtCollective::all_reduce, 64, {}, "1")), R"({"1": [0, 7]})"),
             ContainsSubstring("group 1 holds rank 7, and there are 4"));
  CHECK_THAT(run_refusal(four(kernel_node(1, 1)), "[1,"), ContainsSubstring("is no map from process groups"));
}

TEST_CASE("ranks whose groups wait for each other are said, not waited for") {
  const auto first = collective_node(1, EtCollective::all_reduce, 64, {}, "1"),
             second = collective_node(2, EtCollective::all_reduce, 64, {}, "2");
  std::vector<std::vector<EtNode>> ranks(4, {first, second});
  ranks[0][1].after = {1};
  for (const std::size_t rank : {1u, 2u, 3u}) ranks[rank][0].after = {2};
  CHECK_THAT(run_refusal(ranks, R"({"1": [0, 1, 2, 3], "2": [0, 1, 2, 3]})"),
             ContainsSubstring("the step never ends: node 1"));
}
