// Slow ranks, hosts, links and late input from the ranks' own times: found where they are, not where they are not.
#include <fmt/format.h>

#include <functional>
#include <string>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "replay/diagnosis/run_noise.hpp"
#include "replay/diagnosis/worker_times.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr int kRuns = 200;

// Ranks that are alike: chips differ by 1 %, steps by up to 4 %, a rank waits up to 1 % for input.
WorkerTimes healthy(RunNoise& noise) {
  const int hosts = noise.whole(2, 12), of_host = noise.whole(2, 8), steps = noise.whole(3, 40);
  const double jitter = 0.04 * noise.uniform();
  WorkerTimes times;
  std::vector<double> chip;
  for (int r = 0; r < hosts * of_host; ++r) {
    times.numbers.push_back(r);
    times.hosts.push_back(fmt::format("n{}", r / of_host));
    chip.push_back(noise.factor(0.01));
  }
  for (int t = 0; t < steps; ++t) {
    for (auto* all : {&times.own, &times.input, &times.exchange}) all->emplace_back();
    for (const double each : chip) {
      times.own.back().emplace_back(0.1 * each * noise.factor(jitter));
      times.input.back().emplace_back(0.001 * noise.uniform());
      times.exchange.back().emplace_back(0.03 * noise.factor(jitter));
    }
  }
  return times;
}

void multiply(TimesOfSteps& times, std::size_t rank, double factor) {
  for (auto& step : times) step[rank] *= factor;
}

// The share of random runs with a fault in which the likeliest cause is that fault. `inject` puts it into a rank and
// its host and returns where it is to be found.
double found_share(CauseKind kind, const std::function<std::string(WorkerTimes&, std::size_t rank)>& inject) {
  int found = 0;
  for (int run = 0; run < kRuns; ++run) {
    RunNoise noise(static_cast<std::uint64_t>(run));
    WorkerTimes times = healthy(noise);
    const auto rank = static_cast<std::size_t>(noise.whole(0, static_cast<int>(times.ranks()) - 1));
    const std::string where = inject(times, rank);
    const Diagnosis result = diagnosis(times);
    if (result.found() && result.causes.front().kind == kind && result.causes.front().where == where) ++found;
  }
  return static_cast<double>(found) / kRuns;
}

std::string rank_name(const WorkerTimes& times, std::size_t rank) {
  return fmt::format("rank {} (host {})", rank, times.hosts[rank]);
}

template <class Change>
std::string on_host(WorkerTimes& times, std::size_t rank, Change change) {
  for (std::size_t r = 0; r < times.ranks(); ++r)
    if (times.hosts[r] == times.hosts[rank]) change(r);
  return "host " + times.hosts[rank];
}

void check_times_refused(const std::string& text, const std::string& says) {
  CHECK_THROWS_WITH(parse_worker_times(text, "own.csv"), ContainsSubstring(says));
  CHECK_THROWS_AS(parse_worker_times(text, "own.csv"), InputError);
}

}  // namespace

TEST_CASE("healthy ranks: a false alarm in 1 of 100 runs at most") {
  int alarms = 0;
  for (int run = 0; run < 2 * kRuns; ++run) {
    RunNoise noise(static_cast<std::uint64_t>(run));
    const Diagnosis result = diagnosis(healthy(noise));
    if (result.found()) {
      ++alarms;
      UNSCOPED_INFO(result.causes.front().where << " " << result.causes.front().times_as_long);
    }
  }
  CHECK(alarms <= 2 * kRuns / 100);
}

TEST_CASE("a rank that computes 1.5 times as long is found in 19 of 20 runs") {
  CHECK(found_share(CauseKind::slow_rank, [](WorkerTimes& times, std::size_t rank) {
          multiply(times.own, rank, 1.5);
          return rank_name(times, rank);
        }) >= 0.95);
}

TEST_CASE("a rank that computes 1.15 times as long is found in 9 of 10 runs") {
  CHECK(found_share(CauseKind::slow_rank, [](WorkerTimes& times, std::size_t rank) {
          multiply(times.own, rank, 1.15);
          return rank_name(times, rank);
        }) >= 0.9);
}

TEST_CASE("a host whose ranks compute 1.3 times as long is found in 19 of 20 runs") {
  CHECK(found_share(CauseKind::slow_host, [](WorkerTimes& times, std::size_t rank) {
          return on_host(times, rank, [&](std::size_t r) { multiply(times.own, r, 1.3); });
        }) >= 0.95);
}

TEST_CASE("a rank or a host whose exchanges take twice as long is found in 19 of 20 runs") {
  CHECK(found_share(CauseKind::slow_link, [](WorkerTimes& times, std::size_t rank) {
          multiply(times.exchange, rank, 2);
          return rank_name(times, rank);
        }) >= 0.95);
  CHECK(found_share(CauseKind::slow_link, [](WorkerTimes& times, std::size_t rank) {
          return on_host(times, rank, [&](std::size_t r) { multiply(times.exchange, r, 2); });
        }) >= 0.95);
}

TEST_CASE("input that comes late by 30 % of a step is found in 19 of 20 runs, of a rank, a host or all") {
  const auto late = [](WorkerTimes& times, std::size_t rank) {
    for (auto& step : times.input) step[rank] += Seconds(0.03);
  };
  CHECK(found_share(CauseKind::late_input, [&](WorkerTimes& times, std::size_t rank) {
          late(times, rank);
          return rank_name(times, rank);
        }) >= 0.95);
  CHECK(found_share(CauseKind::late_input, [&](WorkerTimes& times, std::size_t rank) {
          return on_host(times, rank, [&](std::size_t r) { late(times, r); });
        }) >= 0.95);
  CHECK(found_share(CauseKind::late_input, [&](WorkerTimes& times, std::size_t) {
          for (std::size_t r = 0; r < times.ranks(); ++r) late(times, r);
          return "all ranks";
        }) >= 0.95);
}

TEST_CASE("two slow ranks are both named, the slower one first and the other besides") {
  RunNoise noise(7);
  WorkerTimes times = healthy(noise);
  multiply(times.own, 1, 2);
  multiply(times.own, 3, 1.6);
  const Diagnosis result = diagnosis(times);
  REQUIRE(result.found());
  CHECK(result.causes.front().where == rank_name(times, 1));
  CHECK(result.causes.front().times_as_long == Approx(2).epsilon(0.05));
  REQUIRE(result.besides.size() == 1);
  CHECK(result.besides.front().where == rank_name(times, 3));
}

TEST_CASE(
    "likelihoods of all causes and of nothing add up to 1, and what a cause costs is what the others wait for it") {
  const WorkerTimes times = parse_worker_times(
      "step,rank,own_s\n0,0,1\n0,1,1.01\n0,2,0.99\n0,3,1\n0,4,1\n0,5,1.01\n0,6,1\n0,7,2\n", "own.csv");
  const Diagnosis result = diagnosis(times);
  REQUIRE(result.causes.size() == 1);
  CHECK(result.causes.front().where == "rank 7");
  CHECK(result.causes.front().times_as_long == Approx(2));
  CHECK(result.causes.front().saving == Approx(1 - 1.01 / 2));  // rank 1 is the next
  CHECK(result.causes.front().likelihood + result.nothing == Approx(1));
  CHECK(result.causes.front().likelihood > 0.9);
}

TEST_CASE("a table of own times that is none is refused with file, line and word") {
  check_times_refused("", "own.csv:1: is empty");
  check_times_refused("step,rank,own_s\n", "own.csv: holds no step");
  check_times_refused("step,rank\n0,0\n", "own.csv:1: lacks the column \"own_s\"");
  check_times_refused("step,rank,own_s,hots\n", "unknown column \"hots\"; did you mean \"host\"?");
  check_times_refused("step,rank,own_s,own_ms\n", "has both own_s and own_ms");
  check_times_refused("step,rank,own_s\n0,0,1\n", "own.csv: has one rank");
  check_times_refused("step,rank,own_s\n0,0,1\n0,1,-2\n", "own.csv:3: column \"own_s\": \"-2\" is below 0");
  check_times_refused("step,rank,own_s\n0,0,1\n0,1,nan\n", "own.csv:3: column \"own_s\"");
  check_times_refused("step,rank,own_s\n0,0,1\n0,1,0\n", "own.csv:3: column \"own_s\": is 0");
  check_times_refused("step,rank,own_s\n0,0,1\n0,0,1\n",
                      "own.csv:3: column \"rank\": 0 stands twice in step 0, first in line 2");
  check_times_refused("step,rank,own_s\n0,0,1\n0,2,1\n", "own.csv: rank 1 is missing of 3");
  check_times_refused("step,rank,own_s\n0,0,1\n0,1,1\n1,0,1\n", "own.csv: rank 1 is missing in step 1");
  check_times_refused("step,rank,own_s,host\n0,0,1,a\n0,1,1,b\n1,0,1,c\n1,1,1,b\n",
                      "own.csv:4: host is \"c\", and was \"a\" of rank 0 before");
}
