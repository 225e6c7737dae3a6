#include "sim/job/failures.hpp"

#include <cmath>
#include <random>
#include <set>

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// The second answer: one job, event by event. Failures strike at any moment, also during a restart; the work since the
// last checkpoint is lost and a restart begins.
struct SimulatedJob {
  double wall = 0, failures = 0;
};

SimulatedJob simulate_job(double work, double interval, double cost, double rate, double restart,
                          std::mt19937_64& random) {
  std::exponential_distribution<double> until_failure(rate);
  SimulatedJob job;
  double next = until_failure(random), done = 0;
  const auto survives = [&](double length) {
    if (job.wall + length <= next) {
      job.wall += length;
      return true;
    }
    job.wall = next;
    next += until_failure(random);
    ++job.failures;
    return false;
  };
  while (done < work - 1e-9) {
    if (survives(std::min(interval, work - done) + cost)) {
      done += std::min(interval, work - done);
    } else {
      while (!survives(restart)) {
      }
    }
  }
  return job;
}

// The same job on nodes of which `spares` stand by: a failure breaks one at the share `hardware`, repairs are
// exponential and side by side, and the job waits while more are broken than stand by. Nothing fails while it waits.
double simulate_with_spares(double work, double interval, double cost, double rate, double restart, double hardware,
                            int spares, double repair, std::mt19937_64& random) {
  std::exponential_distribution<double> until_failure(rate), until_repaired(1 / repair);
  std::bernoulli_distribution breaks(hardware);
  double wall = 0, next = until_failure(random), done = 0;
  std::multiset<double> back;  // when broken nodes are
  const auto survives = [&](double length) {
    if (wall + length <= next) {
      wall += length;
      return true;
    }
    wall = next;
    back.erase(back.begin(), back.upper_bound(wall));
    if (breaks(random)) back.insert(wall + until_repaired(random));
    if (static_cast<int>(back.size()) > spares) {
      wall = *back.begin();
      back.erase(back.begin());
    }
    next = wall + until_failure(random);
    return false;
  };
  while (done < work - 1e-9) {
    if (survives(interval + cost)) {
      done += interval;
    } else {
      while (!survives(restart)) {
      }
    }
  }
  return wall;
}

struct Sample {
  double mean = 0, standard_error = 0, failures = 0, deviation = 0;
};

Sample sample_jobs(int count, double work, double interval, double cost, double rate, double restart) {
  std::mt19937_64 random(20060302);
  double sum = 0, squares = 0, failures = 0;
  for (int i = 0; i < count; ++i) {
    const SimulatedJob job = simulate_job(work, interval, cost, rate, restart, random);
    sum += job.wall;
    squares += job.wall * job.wall;
    failures += job.failures;
  }
  const double mean = sum / count, variance = (squares - count * mean * mean) / (count - 1);
  return {mean, std::sqrt(variance / count), failures / count, std::sqrt(variance)};
}

PerSecond once_in(double seconds) { return PerSecond(1 / seconds); }

}  // namespace

TEST_CASE("the wall time with checkpoints is Daly's formula") {
  // M 12.4 h, C 60 s, R 600 s, W 30 d, tau 38 min.
  const double m = 12.4 * 3600, tau = 38 * 60, work = 30 * 86400;
  const auto run = expected_run(Seconds(work), Checkpoints{Seconds(tau), Seconds(60)}, {once_in(m), Seconds(600)});
  CHECK(run.wall.value == Approx(m * std::exp(600 / m) * std::expm1((tau + 60) / m) * work / tau).epsilon(1e-9));
  CHECK(run.checkpoints == Approx(work / tau));
  CHECK(run.checkpoint.value == Approx(60 * work / tau));
  CHECK(run.wall.value == Approx(work + run.checkpoint.value + run.lost.value));
  CHECK(work / run.wall.value == Approx(0.936).margin(0.001));
}

TEST_CASE("without checkpoints and restarts a job of work W takes (e^LW - 1)/L") {
  for (const double lw : {1e-9, 1e-5, 1e-3, 0.02, 0.5, 2.1, 5.0}) {
    const double rate = lw / 1000;
    const auto run = expected_run(Seconds(1000), std::nullopt, {PerSecond(rate), Seconds(0)});
    CHECK(run.wall.value == Approx(std::expm1(lw) / rate).epsilon(1e-12));
    CHECK(run.failures == Approx(std::expm1(lw)).epsilon(1e-12));
    CHECK(run.checkpoints == 0);
  }
}

TEST_CASE("jobs simulated event by event agree with mean, failures and scatter of the formula") {
  struct Job {
    double work, interval, cost, mean_between, restart;
  };
  const int count = 20000;
  for (const Job& job : {Job{36000, 1800, 60, 7200, 600}, Job{100000, 2500, 100, 40000, 900},
                         Job{5000, 5000, 0, 4000, 0}, Job{3000, 1000, 30, 900, 300}, Job{3600, 3600, 0, 360000, 600}}) {
    const Sample sample = sample_jobs(count, job.work, job.interval, job.cost, 1 / job.mean_between, job.restart);
    const bool written = job.cost > 0;
    const auto run =
        expected_run(Seconds(job.work),
                     written ? std::optional<Checkpoints>({Seconds(job.interval), Seconds(job.cost)}) : std::nullopt,
                     {once_in(job.mean_between), Seconds(job.restart)});
    INFO("simulated " << sample.mean << " +- " << sample.standard_error << ", formula " << run.wall.value);
    CHECK(std::abs(sample.mean - run.wall.value) < 2.5 * sample.standard_error);
    CHECK(sample.failures == Approx(run.failures).epsilon(0.05));
    CHECK(std::sqrt(std::log1p(std::pow(sample.deviation / sample.mean, 2))) == Approx(run.log_spread).epsilon(0.05));
  }
}

TEST_CASE("a long job that is simulated with spare nodes loses what Erlang's formula says") {
  const double interval = 1800, cost = 30, rate = 1 / 7200.0, restart = 600, hardware = 0.78, repair = 36000;
  const double work = 40000 * interval;
  double fewer = 0;
  for (const int spares : {0, 2, 4, 6}) {
    std::mt19937_64 random(1917 + spares);
    const double wall = simulate_with_spares(work, interval, cost, rate, restart, hardware, spares, repair, random);
    SpareWait wait = wait_for_spares(spares, PerSecond(hardware * rate), Seconds(repair));
    wait.probability *= hardware;
    const auto run = expected_run(Seconds(work), Checkpoints{Seconds(interval), Seconds(cost)},
                                  {PerSecond(rate), Seconds(restart), wait});
    INFO(spares << " spare nodes");
    CHECK(run.wall.value == Approx(wall).epsilon(0.02));
    const double goodput = work / run.wall.value;
    CHECK(goodput > fewer);
    fewer = goodput;
  }
}

TEST_CASE("with as many spare nodes as it takes a job waits for none, with none for every repair") {
  const SpareWait none = wait_for_spares(0, once_in(3600), Seconds(7200));
  CHECK(none.probability == 1);
  CHECK(none.mean.value == 7200);
  CHECK(wait_for_spares(30, once_in(3600), Seconds(7200)).probability < 1e-20);
  // Erlang's table: 10 servers lose 1 % of 4.461 erlang.
  CHECK(wait_for_spares(10, PerSecond(4.461), Seconds(1)).probability == Approx(0.01).epsilon(1e-3));
}

TEST_CASE("Daly's interval is the best: 38 min for C 60 s at M 12.4 h, and no other is shorter") {
  const double m = 12.4 * 3600;
  const Seconds best = best_checkpoint_interval(Seconds(60), once_in(m));
  CHECK(best.value / 60 == Approx(38).margin(0.5));
  const auto wall = [&](double interval) {
    return expected_run(Seconds(1e6), Checkpoints{Seconds(interval), Seconds(60)}, {once_in(m), Seconds(600)})
        .wall.value;
  };
  for (double factor = 0.5; factor < 2.1; factor *= 1.05)
    CHECK(wall(best.value) < wall(factor * best.value) * (1 + 1e-6));
  CHECK(best_checkpoint_interval(Seconds(2000), once_in(900)).value == Approx(900));  // C above 2M
}

TEST_CASE("goodput at the best interval falls with the number of accelerators as the published failure rate says") {
  // 50 700 h an accelerator, C 60 s, R 600 s.
  const auto goodput = [](int accelerators) {
    const PerSecond rate(accelerators / (50700.0 * 3600));
    const Checkpoints checkpoints{best_checkpoint_interval(Seconds(60), rate), Seconds(60)};
    return 1e6 / expected_run(Seconds(1e6), checkpoints, {rate, Seconds(600)}).wall.value;
  };
  CHECK(goodput(256) == Approx(0.986).margin(0.001));
  CHECK(goodput(1024) == Approx(0.971).margin(0.001));
  CHECK(goodput(4096) == Approx(0.936).margin(0.001));
}

TEST_CASE("a job that nothing strikes takes its work and its checkpoints") {
  const auto plain = expected_run(Seconds(1000), std::nullopt, {});
  CHECK(plain.wall.value == 1000);
  CHECK(plain.log_spread == 0);
  const auto written = expected_run(Seconds(1000), Checkpoints{Seconds(100), Seconds(2)}, {});
  CHECK(written.wall.value == 1020);
  CHECK(written.lost.value == 0);
}

TEST_CASE("a job that fails faster than it advances is refused with the reason") {
  CHECK_THROWS_AS(expected_run(Seconds(1e6), std::nullopt, {once_in(1000), Seconds(0)}), Infeasible);
  CHECK_THROWS_WITH(expected_run(Seconds(1e6), std::nullopt, {once_in(1000), Seconds(0)}),
                    ContainsSubstring("never ends without checkpoints"));
  CHECK_NOTHROW(expected_run(Seconds(1e6), Checkpoints{Seconds(100), Seconds(1)}, {once_in(1000), Seconds(0)}));
}

TEST_CASE("preemptible at 0.30 of the price is cheaper only while LW is below 2.1") {
  // (e^x - 1)/x = 1/0.30 at x = 2.06; 0.275 (MLBench's node) at 2.19.
  const auto relative_cost = [](double lw, double price_ratio) {
    return price_ratio * expected_run(Seconds(1000), std::nullopt, {PerSecond(lw / 1000), Seconds(0)}).wall.value /
           1000;
  };
  CHECK(relative_cost(2.0, 0.30) < 1);
  CHECK(relative_cost(2.1, 0.30) > 1);
  CHECK(relative_cost(2.15, 0.154 / 0.5592) < 1);
  CHECK(relative_cost(2.25, 0.154 / 0.5592) > 1);
}
