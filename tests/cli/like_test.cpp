// --like asks as a published run was made, --measured whether a timed step is normal, --price what owning costs.
#include <nlohmann/json.hpp>

#include "bad_case.hpp"

namespace {

using nlohmann::json;

json answer_json(const std::string& arguments) {
  const ProgramRun run = run_mlsim(arguments + " --quiet --format json");
  INFO(arguments << "\n" << run.err);
  REQUIRE(run.code == 0);
  return json::parse(run.out);
}

const std::string kRun = "mlperf-v1.1-dgxa100-ngc21-09-mxnet-time";

}  // namespace

TEST_CASE("a question like a published run is that run's") {
  const json answer = answer_json("predict --like " + kRun);
  CHECK(answer["inputs"]["topology"] == "dgx-a100-80gb:nodes=1");
  CHECK(answer["inputs"]["global_batch"] == 3264);
  CHECK(answer["inputs"]["stack"] == "mlperf-v1.1");
  CHECK(answer["inputs"]["recipe"] == "v1.1-lars-mxnet");
  const double minutes = answer["time_to_target_s"].get<double>() / 60;
  CHECK(minutes == Approx(29.15).epsilon(0.1));
}

TEST_CASE("slips of --like are refused with the nearest id or the word too many") {
  check(BadCase{"predict --like mlperf-v1.1-dgxa100-ngc21-09-mxnet-tme", "did you mean \"" + kRun});
  check(BadCase{"predict --like " + kRun + " --precision fp16", "is what --like " + kRun + " says"});
  check(BadCase{"predict --like " + kRun + " --set data=real", "is what --like"});
}

TEST_CASE("a measured step is placed in the range, with what would bring it down") {
  const std::string question = "predict --topology dgx-a100:nodes=2 --workload bert-large";
  const json plain = answer_json(question);
  const double median = plain["step"]["time_s"], high = plain["interval"]["step_time_s"][1];
  const auto percentile = [&](double seconds) {
    return answer_json(question + " --measured " + std::to_string(seconds) + "s")["measured"]["percentile"]
        .get<double>();
  };
  CHECK(percentile(median) == Approx(0.5).margin(0.001));
  CHECK(percentile(high) == Approx(0.95).margin(0.001));
  CHECK(answer_json(question + " --measured 1s")["measured"]["remedies"].size() >= 1);
  const ProgramRun slow = run_mlsim(question + " --measured 100s");
  CHECK_THAT(slow.out, ContainsSubstring("slow: longer than over 99 of 100 steps"));
  check(BadCase{question + " --measured 340", "has no unit"});
}

TEST_CASE("a machine that is bought costs its share of its life, and breaks even at a share of it in use") {
  const json answer =
      answer_json("predict --topology dgx-h100:nodes=2 --workload resnet50 --price dgx-h100=300kUSD/3y");
  CHECK(answer["price_usd_per_s"].get<double>() == Approx(2 * 300000 / (3 * 8766 * 3600.0)));
  CHECK(answer["purchase"]["price_usd"] == 600000);
  CHECK(answer["purchase"]["break_even_utilisation"].get<double>() ==
        Approx(answer["price_usd_per_s"].get<double>() / answer["purchase"]["rent_usd_per_s"].get<double>()));
  CHECK(answer["inputs"]["settings"]["own_price"] == "dgx-h100=300kUSD/3y");
  check(BadCase{"predict --topology dgx-h100 --workload resnet50 --price dgx-h100=300000USD", "over how many years"});
  check(BadCase{"predict --topology dgx-h100 --workload resnet50 --price dgx-h100=300kUSD/3y:preemptible",
                "not preempted"});
}

TEST_CASE("energy and carbon are figures of every answer, at the meter and the grid that are said") {
  const std::string question = "predict --topology dgx-a100 --workload resnet50";
  const json plain = answer_json(question)["energy"],
             own = answer_json(question + " --set pue=1.65 carbon_intensity=0.077")["energy"];
  CHECK(plain["power_w"] == 3200);
  CHECK(own["job_j"].get<double>() == Approx(plain["job_j"].get<double>() * 1.5));
  CHECK(own["carbon_kg"].get<double>() == Approx(plain["carbon_kg"].get<double>() * 1.5 * 0.2));
  check(BadCase{question + " --set pue=0.9", "between 1 and 10"});
}

TEST_CASE("samples end a job as epochs do") {
  const json job = answer_json("predict --topology dgx-a100 --workload resnet50 --set samples=12811670")["job"];
  CHECK(job["epochs_to_target"].get<double>() == Approx(10));
  check(BadCase{"predict --topology dgx-a100 --workload resnet50 --set samples=5 epochs=1", "epochs"});
}
