// Job, cost and warnings as parts of a whole prediction.
#include "sim/job/job.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/job/job_clock.hpp"
#include "sim/options/options_text.hpp"
#include "tests/sim/job/resnet_job.hpp"
#include "workloads/model/model.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

bool warns(const Prediction& prediction, const std::string& text) {
  return std::any_of(prediction.warnings.begin(), prediction.warnings.end(),
                     [&](const std::string& warning) { return warning.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("a measured throughput sets job and cost, the step stays as simulated and the answer says so") {
  const Prediction simulated = resnet_job({}), given = resnet_job({{"throughput", "5000"}});
  CHECK(given.throughput.value == 5000);
  CHECK(given.step.time == simulated.step.time);
  CHECK(given.interval.step_time == simulated.interval.step_time);
  REQUIRE(given.job);
  CHECK(given.job->train.value == Approx(given.job->samples_to_target / 5000));
  CHECK(warns(given, "taken as given"));
  CHECK_FALSE(warns(simulated, "taken as given"));
  // No step error is left in the interval: it is narrower than that of the simulated throughput.
  const auto width = [](const Prediction& p) {
    return (*p.interval.time_to_target)[1] / (*p.interval.time_to_target)[0];
  };
  CHECK(width(given) < width(simulated));
}

TEST_CASE("the cost is the price of the billed time") {
  const Prediction p = resnet_job({{"teardown", "2 min"}, {"billing", "hour"}, {"throughput", "5000"}});
  REQUIRE(p.cost);
  const double hours_billed = p.job->billed.value / 3600;
  CHECK(hours_billed == std::ceil(hours_billed));
  const Prediction by_second = resnet_job({{"throughput", "5000"}});
  CHECK(p.cost->value / p.job->billed.value == Approx(by_second.cost->value / by_second.job->billed.value));
  CHECK(*p.cost > *by_second.cost);
}

TEST_CASE("preemptible machines are dearer than on-demand ones once the gang is preempted too often") {
  // Without checkpoints at 0.30 of the price: dearer from LW = 2.06 on.
  const Settings without{
      {"price", "preemptible"}, {"checkpoint", "off"}, {"restart_time", "0 s"}, {"throughput", "5000"}};
  const double work_hours = (*resnet_job(without).time_to_target).value / 3600;
  const auto at = [&](double lw) {
    Settings settings = without;
    settings["preemption_rate"] = std::to_string(lw / work_hours);
    return resnet_job(settings);
  };
  CHECK_FALSE(warns(at(1.5), "dearer"));
  CHECK(warns(at(2.6), "preemptible is dearer here"));
  Settings with = without;
  with.erase("checkpoint");
  with["preemption_rate"] = std::to_string(2.6 / work_hours);
  CHECK_FALSE(warns(resnet_job(with), "dearer"));
}

TEST_CASE("preemptible machines without a rate of preemption say that none is counted") {
  const Prediction p = resnet_job({{"price", "preemptible"}});
  CHECK(warns(p, "preemption_rate="));
  CHECK(p.job->preemptions == 0);
  CHECK(warns(resnet_job({{"price", "preemptible"}, {"throughput", "100"}}), "24 h"));
}

TEST_CASE("a job that failures never let end has no answer") {
  const auto ask = [] {
    resnet_job({{"failures", "on"}, {"checkpoint", "off"}, {"time_between_failures", "10 min"}, {"throughput", "100"}});
  };
  CHECK_THROWS_AS(ask(), Infeasible);
  CHECK_THROWS_WITH(ask(), Catch::Matchers::ContainsSubstring("never ends without checkpoints"));
}

TEST_CASE("a job that failures never let end has no answer, with checkpoints and epochs of any workload neither") {
  for (const char* workload : {"resnet50", "se-resnext101-32x4d"}) {
    PredictRequest request;
    request.topology = "gke-t4:nodes=4";
    request.workload = workload;
    request.batch_per_accelerator = 8;
    request.options = options_of({{"epochs", "90"}, {"failures", "on"}, {"time_between_failures", "1 s"}});
    CHECK_THROWS_AS(predict(request), Infeasible);
    CHECK_THROWS_WITH(predict(request), ContainsSubstring("never ends even with checkpoints"));
  }
}

TEST_CASE("the parts of the clock add up to the time to target, and to what is billed") {
  const Prediction p = resnet_job({{"failures", "on"}, {"time_between_failures", "500 h"}, {"teardown", "90 s"}});
  const auto& j = *p.job;
  CHECK(j.failures > 0);
  CHECK(j.checkpoints > 0);
  const double clock =
      (j.startup + j.self_play + j.train + j.evaluation + j.checkpoint + j.restart + j.preemption).value;
  CHECK(p.time_to_target->value == Approx(clock));
  CHECK(j.billed.value == Approx(clock + j.init.value + 90).margin(1));
}

TEST_CASE("the wall clock is later than MLPerf's by the initialisation") {
  CHECK(resnet_job({{"clock", "wall"}}).time_to_target->value == Approx(resnet_job({}).time_to_target->value + 25));
}

TEST_CASE("a number of epochs gives a job to a workload without convergence tables") {
  PredictRequest request;
  request.topology = "gce-v100";
  request.workload = "gpt2";
  request.batch_per_accelerator = 4;
  request.fidelity = Fidelity::closed;
  const Prediction without = predict(request);
  CHECK_FALSE(without.job);
  CHECK(warns(without, "--set tokens=N"));
  request.options = options_of({{"epochs", "2"}});
  const Prediction with = predict(request);
  REQUIRE(with.job);
  CHECK(with.inputs.target == "the end of 2 epochs");
  CHECK(with.job->evaluations == 2);
  const double samples = 2 * static_cast<double>(load_model("gpt2").dataset.train_samples);
  CHECK(with.job->samples_to_target == Approx(samples));
  CHECK(with.job->train.value == Approx(samples / with.throughput.value));
  CHECK(with.cost.has_value());
}

TEST_CASE("a number of tokens gives a job to a language model") {
  PredictRequest request;
  request.topology = "dgx-a100";
  request.workload = "gpt2";
  request.batch_per_accelerator = 4;
  request.fidelity = Fidelity::closed;
  request.options = options_of({{"tokens", "2G"}});
  const Prediction answer = predict(request);
  REQUIRE(answer.job);
  CHECK(answer.inputs.target == "the end of 2 G tokens");
  CHECK(answer.job->samples_to_target == Approx(2e9 / 1024));
  REQUIRE(answer.language);
  CHECK(answer.language->tokens.value == Approx(1024 * answer.throughput.value));
  CHECK(answer.language->tokens_per_accelerator.value == Approx(128 * answer.throughput.value));
  CHECK(answer.language->model_rate.value / 312e12 == Approx(*answer.mfu).epsilon(1e-3));
  request.workload = "resnet50";
  CHECK_THROWS_WITH(predict(request), Catch::Matchers::ContainsSubstring("without tokens to predict"));
}

TEST_CASE("a training of a given length takes as much longer than its steps as such trainings did") {
  PredictRequest request;
  request.topology = "dgx-a100";
  request.fidelity = Fidelity::closed;
  const auto beyond = [&](const char* workload, const std::map<std::string, std::string>& settings) {
    request.workload = workload;
    request.global_batch = 64;
    request.options = options_of(settings);
    const Prediction::Job job = predict(request).job.value();
    return job.overrun / job.train;
  };
  CHECK(beyond("gpt2", {{"tokens", "2G"}}) == Approx(kOverrunOfLanguageModels.share));
  CHECK(beyond("vit-b16", {{"epochs", "1"}}) == Approx(kOverrunOfOthers.share));
  CHECK(beyond("vit-b16", {{"steps", "10k"}}) == Approx(kOverrunOfOthers.share));
  CHECK(beyond("vit-b16", {{"steps", "10k"}, {"overrun", "0.1"}}) == Approx(0.1));
  CHECK(beyond("vit-b16", {{"epochs", "1"}, {"throughput", "100"}}) == 0);
  CHECK(beyond("vit-b16", {{"epochs", "1"}, {"stack", "mlperf-v1.0"}}) == 0);
  CHECK(beyond("resnet50", {{"epochs", "1"}}) == 0);
}

TEST_CASE("steps are of a batch that the question names") {
  PredictRequest request;
  request.topology = "dgx-a100";
  request.workload = "vit-b16";
  request.fidelity = Fidelity::closed;
  request.options = options_of({{"steps", "10k"}});
  CHECK_THROWS_WITH(predict(request), Catch::Matchers::ContainsSubstring("--global-batch N says"));
  request.global_batch = 512;
  CHECK(predict(request).job.value().samples_to_target == Approx(512 * 1e4));
  CHECK(predict(request).inputs.target == "the end of 10 000 steps");
}

TEST_CASE("attention of language models is fused unless told otherwise") {
  PredictRequest request;
  request.topology = "dgx-a100";
  request.workload = "gpt2";
  request.fidelity = Fidelity::closed;
  const auto chosen = [&] { return predict(request).inputs.chosen.text; };
  CHECK_THAT(chosen(), Catch::Matchers::ContainsSubstring("attention flash"));
  request.options = options_of({{"attention", "unfused"}});
  CHECK_THAT(chosen(), !Catch::Matchers::ContainsSubstring("flash"));
  request.options = {};
  request.workload = "bert-large";
  CHECK_THAT(chosen(), !Catch::Matchers::ContainsSubstring("flash"));
}

TEST_CASE("a changed network has no published target unless its recipe or its epochs are named") {
  PredictRequest request;
  request.topology = "dgx-a100";
  request.workload = "bert-large:layers=2";
  request.global_batch = 256;
  request.fidelity = Fidelity::closed;
  const Prediction changed = predict(request);
  CHECK_FALSE(changed.job);
  CHECK_FALSE(changed.time_to_target);
  CHECK_FALSE(changed.cost);
  CHECK(changed.inputs.target.empty());
  CHECK(changed.inputs.recipe.empty());
  CHECK(changed.inputs.optimizer == "lamb");  // the step is as before
  CHECK(changed.throughput.value > 0);
  CHECK(warns(changed,
              "bert-large:layers=2 is not the network whose epochs to masked-LM accuracy 0.72 are on record, "
              "which has layers=24"));
  request.options = options_of({{"recipe", "v1.0-lamb"}});
  const Prediction named = predict(request);
  CHECK(named.time_to_target);
  CHECK(warns(named, "of recipe v1.0-lamb, of the network with layers=24"));
  request.options = options_of({{"epochs", "3"}});
  CHECK(predict(request).inputs.target == "the end of 3 epochs");
}

TEST_CASE("a network that is only laid out otherwise keeps its target") {
  PredictRequest request;
  request.topology = "dgx-a100";
  request.global_batch = 256;
  request.fidelity = Fidelity::closed;
  for (const std::string workload :
       {"bert-large", "bert-large:sequence=512", "bert-large:sequence=256", "bert-large:vocabulary=30528"}) {
    INFO(workload);
    request.workload = workload;
    const Prediction p = predict(request);
    CHECK(p.time_to_target);
    CHECK_FALSE(warns(p, "epochs to target are those of"));
  }
  request.workload = "bert-large:sequence=128";
  CHECK_FALSE(predict(request).time_to_target);
}

TEST_CASE("an optimizer other than the recipe's warns that the epochs are not its own") {
  const std::string warning = "which trains with lars: how many adam takes is not known";
  const Prediction other = resnet_job({{"optimizer", "adam"}});
  CHECK(other.time_to_target);
  CHECK(warns(other, warning));
  CHECK_FALSE(warns(resnet_job({{"optimizer", "lars"}}), "epochs to target are those of"));
  CHECK_FALSE(warns(resnet_job({}), "epochs to target are those of"));
  CHECK_FALSE(warns(resnet_job({{"optimizer", "adam"}, {"epochs", "90"}}), "epochs to target are those of"));
  CHECK_FALSE(warns(resnet_job({{"optimizer", "momentum"}, {"recipe", "v0.7-sgd"}}), "epochs to target are those of"));
}
