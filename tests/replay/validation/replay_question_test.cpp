// Which profile may predict which run, and what is asked.
#include "replay/validation/replay_question.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"

namespace mlsim::test {
namespace {

using namespace validation;

const ReplayFiles kFiles{"run.json", "profile.json"};

ReplayRun run_of_lab() {
  ReplayRun run;
  run.order.workload = "resnet20-cifar";
  run.order.batch = 16;
  run.time = "2026-11-23T07:00:00Z";
  run.environment = {{"processor", "chip"}};
  run.hosts = {"lab0", "lab1"};
  return run;
}

Profile profile_of_lab() {
  Profile profile;
  profile.accelerator = "cpu-chip";
  profile.environment = {{"processor", "chip"}, {"host", "lab0"}, {"time", "2026-11-23T06:59:59Z"}};
  profile.kernels.resize(2);
  profile.kernels[0].threads = 1;
  profile.kernels[1].threads = 2;
  return profile;
}

std::string refusal_of(const Profile& profile) {
  try {
    check_profile(run_of_lab(), profile, kFiles);
    return {};
  } catch (const InputError& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("a profile of the same hosts from before the run may predict it") {
  CHECK(refusal_of(profile_of_lab()).empty());
  Profile by_day = profile_of_lab();
  by_day.environment.erase("time");
  by_day.environment["date"] = "2026-11-23";  // older versions tell the day only
  CHECK(refusal_of(by_day).empty());
}

TEST_CASE("a profile of another machine, a later one and one without its kernels are refused") {
  using Catch::Matchers::ContainsSubstring;
  Profile profile = profile_of_lab();
  profile.environment["processor"] = "other chip";
  CHECK_THAT(refusal_of(profile),
             ContainsSubstring("profile.json: was measured on other chip, and run.json ran on chip"));
  profile = profile_of_lab();
  profile.environment["host"] = "elsewhere";
  CHECK_THAT(refusal_of(profile), ContainsSubstring("profile.json: was measured on host elsewhere"));
  profile = profile_of_lab();
  profile.environment["time"] = "2026-11-23T07:00:01Z";
  CHECK_THAT(refusal_of(profile), ContainsSubstring("after run.json, which ran at 2026-11-23T07:00:00Z"));
  profile.environment.erase("time");
  profile.environment["date"] = "2026-11-24";
  CHECK_THAT(refusal_of(profile), ContainsSubstring("after run.json"));
  profile = profile_of_lab();
  profile.kernels.erase(profile.kernels.begin());
  CHECK_THAT(refusal_of(profile), ContainsSubstring("has no kernels on 1 thread"));
}

TEST_CASE("the question has the run's ranks, batch and settings, and kernels of its threads alone") {
  ReplayRun run = run_of_lab();
  run.order.update = ReplayUpdate::sharded;
  const PredictRequest request = replay_question(run, profile_of_lab(), "lab.yaml");
  CHECK(request.topology == "lab.yaml:nodes=2,per_node=1");
  CHECK(request.batch_per_accelerator == 16);
  CHECK(request.options.memory.sharding == StateSharding::optimizer);
  CHECK(request.options.exchange.communicator == "gloo");
  const ProfileRefs profiles = profiles_of(request);
  REQUIRE(profiles.size() == 1);
  CHECK(profiles.front().get().kernels.size() == 1);
  run.order.update = ReplayUpdate::replicated;
  run.order.stages = 2;
  run.order.micro_batches = 4;
  const PredictRequest pipeline = replay_question(run, profile_of_lab(), "lab.yaml:nodes=2");
  CHECK(pipeline.topology == "lab.yaml:nodes=2");
  CHECK(pipeline.global_batch == 16);
  CHECK(pipeline.parallelism == "pipeline=2,micro_batches=4");
}

TEST_CASE("ranks of one host share what its machine file has, by a library only where that was measured there") {
  ReplayRun run = run_of_lab();
  run.hosts = {"lab0", "lab0"};
  run.order.backend = "gloo";
  const PredictRequest plain = replay_question(run, profile_of_lab(), "machine.yaml");
  CHECK(plain.topology == "machine.yaml:nodes=1,per_node=2");
  CHECK(plain.options.exchange.communicator.empty());
  Profile measured = profile_of_lab();
  measured.collectives.resize(1);
  measured.collectives[0].communicator = "gloo";
  CHECK(replay_question(run, measured, "machine.yaml").options.exchange.communicator == "gloo");
}

}  // namespace mlsim::test
