// A real step of eight ranks, against what another tool made of the same trace.
#include <array>

#include "catch.hpp"
#include "replay/trace/recorded_run.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

std::vector<std::string> files_of_eight() {
  std::vector<std::string> files;
  for (int rank = 0; rank < 8; ++rank)
    files.push_back(MLSIM_SOURCE_DIR "/examples/import-trace/rank" + std::to_string(rank) + ".json.gz");
  return files;
}

// us: step, compute, collectives, exposed, overlapped, copies, idle. Sums over the original files by a script of
// another hand, which is no part of this project. 64 kernels each of ranks 1 and 3 have no launch in the file and end
// before the step's own begin: they are of the step before, and the step counts from their end.
struct Known {
  double step, compute, collective, exposed, overlapped, copy, idle;
};
constexpr std::array<Known, 8> kKnown{{{14455, 1034, 5798, 5537, 261, 19, 7865},
                                       {18453, 1043, 11336, 11056, 280, 19, 6335},
                                       {13017, 1068, 3492, 3217, 275, 19, 8713},
                                       {18594, 1064, 9774, 9450, 324, 28, 8062},
                                       {17979, 1126, 6587, 6550, 37, 26, 10277},
                                       {17797, 1041, 6251, 6211, 40, 19, 10526},
                                       {13091, 1051, 3558, 3289, 269, 19, 8732},
                                       {12509, 1059, 1746, 1580, 166, 20, 9850}}};

}  // namespace

TEST_CASE("a recorded step's parts are those that are known of it, rank by rank") {
  const RecordedRun run = recorded_run(load_traces(files_of_eight()));
  REQUIRE(run.ranks.size() == 8);
  for (std::size_t r = 0; r < 8; ++r) {
    INFO("rank " << r);
    const Known& known = kKnown[r];
    const StepSums& sums = run.ranks[r].sums.at(0);
    const auto same = [](Seconds time, double us) { return time.value == Approx(us * 1e-6).epsilon(0.001); };
    CHECK(same(run.ranks[r].trace.steps[0].time, known.step));
    CHECK(same(sums.compute, known.compute));
    CHECK(same(sums.collective, known.collective));
    CHECK(same(sums.exposed, known.exposed));
    CHECK(same(sums.overlapped, known.overlapped));
    CHECK(same(sums.copy, known.copy));
    CHECK(same(sums.idle, known.idle));
    CHECK(sums.collectives == 8);
    CHECK(host_bound(run.ranks[r]));
  }
}

TEST_CASE("recorded collectives take what they take from the last rank's begin on") {
  const auto alignment = aligned_collectives(load_traces(files_of_eight()));
  REQUIRE(alignment);
  CHECK(alignment->disagreement.value < 10e-6);
  const std::array<double, 8> us{11, 8, 8, 8, 87, 11, 23, 69};
  REQUIRE(alignment->collectives.size() == us.size());
  for (std::size_t i = 0; i < us.size(); ++i) {
    INFO(i);
    CHECK(alignment->collectives[i].time.value == Approx(us[i] * 1e-6).margin(1.5e-6));
  }
}
