// Which rank is late, or never came, by PyTorch's flight recorders.
#include "replay/diagnosis/flight_record.hpp"

#include <fmt/format.h>

#include <functional>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "replay/toy_trace.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr int kCollectives = 20;

// Rank 2 of four comes 30 ms after the others to each all-reduce, which takes 5 ms and stands 100 ms after the one
// before.
std::string entry(int rank, int sequence, bool timed, bool completed = true) {
  const double late = rank == 2 ? 30 : 0.1 * rank;
  return fmt::format(
      R"({{"collective_seq_id": {}, "is_p2p": false, "process_group": ["0", "default_pg"], "profiling_name": "nccl:all_reduce",
"input_sizes": [[1000]], "input_dtypes": ["Float"], "state": "{}", "time_created_ns": {:.0f}{}}})",
      sequence, completed ? "completed" : "started", 1.7e18 + 1e6 * (100 * sequence + late),
      timed ? fmt::format(", \"duration_ms\": {}", 35 - late) : "");
}

std::string record_in(const ScratchFolder& folder, int rank, bool timed, int count = kCollectives, int first = 1) {
  std::string entries;
  for (int s = first; s <= count; ++s)
    entries += (entries.empty() ? "" : ", ") + entry(rank, s, timed, s <= 15 || count == kCollectives);
  return file_with(
      folder, fmt::format("nccl_trace_rank_{}", rank),
      fmt::format(
          R"({{"version": "2.4", "pg_config": {{"0": {{"name": "0", "ranks": "[0, 1, 2, 3]"}}}}, "entries": [{}]}})",
          entries));
}

std::vector<std::string> records_in(const ScratchFolder& folder, bool timed) {
  std::vector<std::string> files;
  for (int rank = 0; rank < 4; ++rank) files.push_back(record_in(folder, rank, timed));
  return files;
}

std::string flight_refusal(const std::vector<std::string>& files) {
  try {
    diagnosis(load_flight_records(files));
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the rank that comes late to collectives is found, by durations or by clocks") {
  for (const bool timed : {true, false}) {
    INFO(timed);
    const ScratchFolder folder;
    const Diagnosis result = diagnosis(load_flight_records(records_in(folder, timed)));
    REQUIRE(result.found());
    CHECK(result.causes.front().kind == CauseKind::slow_rank);
    CHECK(result.causes.front().where == "rank 2");
    // It comes 30 ms of 100 after the first; without that the others, 0.1 and 0.3 ms late, are waited for.
    CHECK(result.causes.front().times_as_long == Approx(1.3).epsilon(0.01));
    CHECK(result.causes.front().saving == Approx((30 - 0.3) / 100).epsilon(0.02));
    REQUIRE(result.last_to_arrive.size() == 1);
    CHECK(result.last_to_arrive[0].where == "rank 2");
    CHECK(result.last_to_arrive[0].times == kCollectives);
    CHECK(result.last_to_arrive[0].waited.value == Approx(kCollectives * 30e-3).epsilon(0.01));
    CHECK(result.notes.size() == (timed ? 0 : 1));
  }
}

TEST_CASE("a rank that never came to a collective in which others wait is named, and forgotten ones are none") {
  const ScratchFolder folder;
  std::vector<std::string> files = records_in(folder, false);
  files[1] = record_in(folder, 1, false, 15);
  files[0] = record_in(folder, 0, false, 16, 5);  // its oldest four are forgotten; it waits in the 16th
  files[3] = record_in(folder, 3, false, 16);
  files[2] = record_in(folder, 2, false, 16);
  const Diagnosis result = diagnosis(load_flight_records(files));
  REQUIRE(result.notes.size() == 2);
  CHECK(result.notes[0] == "nccl:all_reduce 16 of group 0: rank 1 never came, and rank 0 waits");
  CHECK_THAT(result.notes[1], ContainsSubstring("by the hosts' clocks"));
  CHECK(result.last_to_arrive[0].meetings == 11);  // 5 to 15
}

TEST_CASE("files that are no records, of one rank or of one rank twice are refused") {
  const ScratchFolder folder;
  const std::string good = record_in(folder, 0, true);
  CHECK_THAT(flight_refusal({good}), ContainsSubstring("is one rank's record"));
  CHECK_THAT(flight_refusal({good, good}), ContainsSubstring("is of rank 0, as "));
  CHECK_THAT(flight_refusal({good, file_with(folder, "rank_1.json", "{\"pg_config\": {}}")}),
             ContainsSubstring("is no JSON of PyTorch's flight recorder"));
  CHECK_THAT(flight_refusal({good, file_with(folder, "plain.json", "{}")}), ContainsSubstring("does not say its rank"));
}
