// What settings make of a job's clock: its start, evaluations, checkpoints, failures, preemption and billing.
#include "sim/options/options.hpp"

#include <cmath>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/job/energy.hpp"
#include "sim/job/failures.hpp"
#include "sim/job/job_clock.hpp"
#include "sim/options/options_text.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// 1000 images/s for 90 epochs of 1000 s: 25 h of training; a checkpoint of 1 GB at 1 GB/s.
JobClockInputs inputs(const Settings& settings, const std::string& recipe = "v0.7-lars-mxnet") {
  JobClockInputs in;
  in.benchmark = "resnet";
  in.target.recipe = recipe;
  in.target.epochs = 90;
  in.target.samples = 9e7;
  in.global_batch = 1000;
  in.throughput = PerSecond(1000);
  in.validation_samples = 50000;
  in.family = "gpu";
  in.accelerators = 16;
  in.hosts = 2;
  in.checkpoint_size = Bytes(1e9);
  const Options options = options_of(settings);
  in.options = options.job;
  in.failures = options.failures;
  in.price = options.price;
  return in;
}

Prediction::Job job(const Settings& settings) { return job_clock(inputs(settings)); }

std::string source_of(const Settings& settings, const std::string& figure) {
  const auto in = inputs(settings);
  for (const auto& entry : job_provenance(in, job_clock(in)))
    if (entry.figure == figure) return entry.value.text + " [" + entry.source.source + "]";
  return {};
}

}  // namespace

TEST_CASE("nothing fails and no checkpoint is written unless asked for, and the answer says so") {
  const auto plain = job({});
  CHECK(plain.train.value == 90000);
  CHECK(plain.checkpoints == 0);
  CHECK(plain.failures == 0);
  CHECK(plain.checkpoint.value + plain.restart.value + plain.preemption.value == 0);
  CHECK_THAT(source_of({}, "failures"), ContainsSubstring("none") && ContainsSubstring("did not fail"));
  CHECK_THAT(source_of({}, "checkpoints"), ContainsSubstring("none") && ContainsSubstring("MLPerf"));
}

TEST_CASE("MLPerf's clock leaves initialisation out, the wall clock counts it, the bill is the same") {
  const auto scored = job({}), wall = job({{"clock", "wall"}});
  CHECK(scored.init.value == 25);
  CHECK(time_to_target(wall).value == Approx(time_to_target(scored).value + 25));
  CHECK(wall.billed == scored.billed);
  CHECK_THAT(source_of({}, "clock"), ContainsSubstring("first touch of the data"));
  CHECK_THAT(source_of({{"clock", "wall"}}, "clock"), ContainsSubstring("start of the program"));
}

TEST_CASE("the clock of MLPerf v0.5 holds the start-up: 22 s on GPUs, no initialisation beside it") {
  auto in = inputs({}, "v0.5-sgd");
  const auto counted = job_clock(in);
  CHECK(counted.startup.value == 22);
  CHECK(counted.init.value == 0);
  CHECK(counted.evaluation.value + 22 == Approx(counted.evaluations * (0.8 + 1.8 * 50)));
  in.family = "tpu";
  CHECK(job_clock(in).startup.value == 0);
}

TEST_CASE("start-up is told apart on 64 GPUs and more, inside the pauses") {
  auto in = inputs({});
  const auto small = job_clock(in);
  CHECK(small.startup.value == 0);
  in.accelerators = 64;
  const auto large = job_clock(in);
  CHECK(large.startup.value == 4);
  CHECK(large.startup + large.evaluation == small.evaluation);
  in.target.epochs = 0.5;  // one evaluation
  in.target.samples = 5e5;
  in.throughput = PerSecond(1e9);
  const auto tiny = job_clock(in);
  CHECK(tiny.startup.value == Approx(0.35).epsilon(0.001));  // never more than there is
  CHECK(tiny.evaluation.value == 0);
}

TEST_CASE("training alone has no evaluations") {
  const auto only = job({{"evaluation", "off"}});
  CHECK(only.evaluations == 0);
  CHECK(time_to_target(only).value == 90000);
}

TEST_CASE("a tear-down is billed and not clocked") {
  const auto with = job({{"teardown", "5 min"}}), without = job({});
  CHECK(time_to_target(with) == time_to_target(without));
  CHECK(with.billed.value - without.billed.value == Approx(300).margin(1.01));
  CHECK(job({{"billing", "hour"}}).billed.value == 26 * 3600);  // 25 h, 22 evaluations of 52 s and 25 s
}

TEST_CASE("failures at the published rate bring checkpoints at Daly's interval") {
  const auto failing = job({{"failures", "on"}});
  const double rate = 16 / (16384.0 * 54 * 86400 / 419);
  const Seconds interval = best_checkpoint_interval(Seconds(1), PerSecond(rate));
  CHECK(failing.checkpoint_interval.value == Approx(interval.value));
  const Seconds work = job({}).train + job({}).evaluation;
  CHECK(failing.checkpoints == Approx(work / interval));
  const auto run = expected_run(work, Checkpoints{interval, Seconds(1)}, {PerSecond(rate), Seconds(600)});
  CHECK(time_to_target(failing).value == Approx(run.wall.value));
  CHECK(failing.failures == Approx(rate * run.wall.value));
  CHECK(failing.restart.value == Approx(run.lost.value));
  CHECK(failing.preemption.value == 0);
  CHECK_THAT(source_of({{"failures", "on"}}, "failures"), ContainsSubstring("2407.21783"));
}

TEST_CASE("a user's own rates and intervals are taken") {
  const Settings own{{"failures", "on"},
                     {"time_between_failures", "1600 h"},
                     {"restart_time", "5 min"},
                     {"checkpoint_interval", "30 min"},
                     {"checkpoint_bandwidth", "100 MB/s"}};
  const auto j = job(own);
  const Seconds work = job({}).train + job({}).evaluation;
  const auto run = expected_run(work, Checkpoints{Seconds(1800), Seconds(10)}, {PerSecond(1 / 360000.0), Seconds(300)});
  CHECK(time_to_target(j).value == Approx(run.wall.value));
}

TEST_CASE("checkpoints can be written without failures, and be left out in spite of them") {
  const auto written = job({{"checkpoint", "on"}});
  CHECK(written.checkpoints > 1);
  CHECK(written.failures == 0);
  CHECK(time_to_target(written).value == Approx(time_to_target(job({})).value + written.checkpoint.value));
  const auto bare = job({{"failures", "on"}, {"checkpoint", "off"}});
  CHECK(bare.checkpoints == 0);
  CHECK(bare.restart > job({{"failures", "on"}}).restart);
  CHECK(job({{"checkpoint_interval", "30 h"}}).checkpoints == 0);  // none before the end
  CHECK_THAT(source_of({{"checkpoint_interval", "30 h"}}, "checkpoints"), ContainsSubstring("longer than the job"));
}

TEST_CASE("preemptions strike every machine at the given rate, on preemptible ones only") {
  const Settings rate{{"preemption_rate", "0.05"}, {"checkpoint", "off"}, {"restart_time", "0 s"}};
  CHECK(job(rate).preemptions == 0);
  Settings spot = rate;
  spot["price"] = "preemptible";
  const auto j = job(spot);
  const double l = 2 * 0.05 / 3600, work = (job({}).train + job({}).evaluation).value;
  CHECK(time_to_target(j).value == Approx(std::expm1(l * work) / l));
  CHECK(j.preemptions == Approx(l * time_to_target(j).value));
  CHECK(j.restart.value == 0);
  spot.erase("checkpoint");
  CHECK(time_to_target(job(spot)) < time_to_target(j));
}

TEST_CASE("failures and preemptions share what is lost by their rates") {
  const auto j = job({{"failures", "on"},
                      {"time_between_failures", "1600 h"},  // 0.01 an hour on 16
                      {"price", "preemptible"},
                      {"preemption_rate", "0.015"}});  // 0.03 an hour on 2
  CHECK(j.preemptions == Approx(3 * j.failures));
  CHECK(j.preemption.value == Approx(3 * j.restart.value));
}

TEST_CASE("failures widen the interval of the time") {
  const Settings failing{{"failures", "on"}, {"checkpoint", "off"}, {"time_between_failures", "1600 h"}};
  CHECK(time_log_spread(inputs(failing), 0.04) > time_log_spread(inputs({}), 0.04) + 0.02);
  CHECK(time_log_spread(inputs({{"checkpoint", "on"}}), 0.04) == time_log_spread(inputs({}), 0.04));
}

TEST_CASE("wrong settings of a job are named") {
  CHECK_THROWS_WITH(parse_options("clock=wal"), ContainsSubstring("\"wall\""));
  CHECK_THROWS_WITH(parse_options("billing=hourly"), ContainsSubstring("\"hour\""));
  CHECK_THROWS_WITH(parse_options("restart_time=10"), ContainsSubstring("restart_time"));
  CHECK_THROWS_WITH(parse_options("checkpoint_interval=0 s"), ContainsSubstring("must be between"));
  CHECK_THROWS_AS(parse_options("preemption_rate=-1"), InputError);
  CHECK_THROWS_AS(parse_options("throughput=0"), InputError);
  CHECK_THROWS_AS(parse_options("time_between_failures=-5 h"), InputError);
}

TEST_CASE("self-play comes before the training of each iteration, at the rate of forward passes") {
  auto in = inputs({});
  in.benchmark = "minigo";
  in.target.recipe = "v0.7-sgd";
  in.target.epochs = 42;
  in.target.samples = 42 * 655360;
  in.forward_rate = PerSecond(500000);
  // 8192 games x 213 moves x (a quarter at 800, the rest at 80 readouts) = 453 672 960 positions an iteration.
  const auto j = job_clock(in);
  CHECK(j.self_play.value == Approx(42 * 0.575 * 453672960.0 / 500000));
  CHECK(j.train.value == Approx(42 * 655.36));
  CHECK(time_to_target(j).value == Approx(j.self_play.value + j.train.value + j.evaluation.value + j.startup.value));
  in.forward_rate = PerSecond(0);
  CHECK_THROWS_AS(job_clock(in), InputError);
}
