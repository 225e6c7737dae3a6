#include "core/result/prediction.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "schemas/json_schema.hpp"
#include "tests/core/replaced.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// A whole prediction with every number and text drawn at random; `full` fills the optional figures.
Prediction random_prediction(std::mt19937_64& random, bool full) {
  const auto number = [&] { return std::exp(std::uniform_real_distribution(-50.0, 50.0)(random)); };
  const auto count = [&] { return random() >> 1U; };  // valijson takes counts for signed
  const auto seconds = [&] { return Seconds(number()); };
  const auto interval = [&] {
    const double low = number();
    return Interval{low, low + number()};
  };
  Prediction p;
  p.inputs = {"torus16x16",     "resnet50", "tpu-v2", "data=256", Precision::bf16,
              Fidelity::folded, "lars",     256,      number(),   number(),
              count(),          {},         {},       "image",    {}};
  p.inputs.exchanges = {{named("exchange", "all-reduce"), " by ", named("algorithm", "ring")}, "all-gather by tree"};
  p.inputs.settings = {{"data", "real"}, {"quote", "\"\\\n\x01 \xc3\xa9"}};
  p.inputs.target = "75.9 % top-1";
  p.inputs.stack = "mlperf-v0.7";
  p.inputs.optimizer = "lars";
  p.inputs.dataset = "ImageNet";
  p.step = {seconds(), seconds(), seconds(), seconds(), seconds(), seconds(),
            seconds(), seconds(), seconds(), seconds(), seconds()};
  p.throughput = PerSecond(number());
  p.speedup = number();
  p.scaling_efficiency = number();
  const auto bytes = [&] { return Bytes(number()); };
  p.memory = {bytes(), full, 7, bytes(), {bytes(), bytes(), bytes(), bytes(), bytes(), bytes()}};
  p.interval.step_time = interval();
  if (full) {
    p.mfu = number();
    p.inputs.sequence = 512;
    p.inputs.price_kind = PriceKind::on_demand;
    p.inputs.price_region = "us-central1";
    p.inputs.price_date = "2022-12";
    p.nearest_published = PublishedRun{"a-run",
                                       "dgx-a100",
                                       "resnet50",
                                       "fp16",
                                       8,
                                       number(),
                                       "throughput",
                                       number(),
                                       number(),
                                       "a table",
                                       {"accelerators", "batch"}};
    p.input = Prediction::Input{PerSecond(number()), "storage", true};
    p.job = Prediction::Job{number(),        number(),  number(),  number(),  number(),  number(),  number(),
                            ClockRule::wall, seconds(), seconds(), seconds(), seconds(), seconds(), seconds(),
                            seconds(),       seconds(), seconds(), seconds(), seconds(), seconds(), seconds()};
    p.time_to_target = seconds();
    p.cost = Usd(number());
    p.price = UsdPerSecond(number());
    p.price_index = PriceIndex{1 + number(), 1 + number()};
    p.interval.time_to_target = interval();
    p.interval.cost = interval();
    p.interval.samples_to_target = interval();
  }
  p.trust = {full ? TrustLevel::good : TrustLevel::weak, {named("doublings", number()), " doublings"}};
  p.distance = {"anchored: ", named("doublings", number()), " doublings of accelerators"};
  p.simulation = {Fidelity::folded, "simgrid", 256, count(), count(), count(), {}};
  if (full) p.simulation.wall_s = number();
  p.provenance = {{"kernel speed", {"x", named("speed", number())}, {Provenance::published, "a table", "2019-07"}},
                  {"b", "", {}}};
  p.measure_next = {{{"kernel ", named("kernel", "matmul fp32 8 8 8")}, 0.25, "mlsim calibrate"},
                    {"all-reduce", 0, "mpirun -n 2"}};
  p.warnings = {"first", "second"};
  return p;
}

std::string sample_json() {
  std::mt19937_64 random(1);
  return to_json(random_prediction(random, true));
}

std::string complaint(const std::string& json) {
  try {
    prediction_from_json(json, "run.json");
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a prediction survives JSON bit for bit") {
  std::mt19937_64 random(20);
  for (int i = 0; i < 200; ++i) {
    const Prediction p = random_prediction(random, i % 2 == 0);
    const std::string json = to_json(p);
    const Prediction back = prediction_from_json(json, "run.json");
    CHECK(back.step.time == p.step.time);
    CHECK(back.step.overhead == p.step.overhead);
    CHECK(back.inputs.seed == p.inputs.seed);
    CHECK(back.inputs.settings == p.inputs.settings);
    CHECK(back.interval.step_time == p.interval.step_time);
    CHECK(back.interval.cost == p.interval.cost);
    CHECK(back.interval.samples_to_target == p.interval.samples_to_target);
    CHECK(back.mfu == p.mfu);
    CHECK(back.job.has_value() == p.job.has_value());
    CHECK(back.time_to_target == p.time_to_target);
    CHECK(back.cost == p.cost);
    CHECK(back.price == p.price);
    CHECK(back.price_index.has_value() == p.price_index.has_value());
    if (p.price_index) CHECK(back.price_index->value() == p.price_index->value());
    CHECK(back.simulation.events == p.simulation.events);
    CHECK(back.inputs.exchanges == p.inputs.exchanges);
    CHECK(back.distance == p.distance);
    CHECK(back.trust == p.trust);
    CHECK(back.nearest_published == p.nearest_published);
    CHECK(back.provenance == p.provenance);
    CHECK(back.measure_next == p.measure_next);
    CHECK(back.warnings == p.warnings);
    CHECK(to_json(back) == json);  // and everything not named above
  }
}

TEST_CASE("the largest count survives JSON") {
  Prediction p;
  p.simulation.flows = std::numeric_limits<std::uint64_t>::max();
  CHECK(prediction_from_json(to_json(p), "run.json").simulation.flows == p.simulation.flows);
}

TEST_CASE("figures that are not known are null") {
  std::mt19937_64 random(2);
  const std::string json = to_json(random_prediction(random, false));
  CHECK_THAT(json, ContainsSubstring("\n  \"mfu\": null,\n"));
  CHECK_THAT(json, ContainsSubstring("\n  \"job\": null,\n"));
  CHECK_THAT(json, ContainsSubstring("\n  \"time_to_target_s\": null,\n"));
  CHECK_THAT(json, ContainsSubstring("\n  \"cost_usd\": null,\n"));
  CHECK_THAT(json, ContainsSubstring("\n    \"cost_usd\": null,\n"));
}

TEST_CASE("a prediction follows its schema") {
  std::mt19937_64 random(3);
  for (const bool full : {true, false}) {
    const auto errors = schema_errors("core/result/prediction.schema.json", to_json(random_prediction(random, full)));
    if (!errors) {
      WARN("skipped: valijson is not installed (libvalijson-dev)");
      return;
    }
    CHECK(*errors == "");
  }
  CHECK_THAT(*schema_errors("core/result/prediction.schema.json",
                            replaced(sample_json(), "\"optimizer_s\"", "\"optimiser_s\"")),
             ContainsSubstring("optimi"));
  CHECK_THAT(
      *schema_errors("core/result/prediction.schema.json", replaced(sample_json(), "\"fits\": true", "\"fits\": null")),
      ContainsSubstring("fits"));
}

TEST_CASE("numbers that JSON does not have are never written") {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    Prediction p;
    p.step.bubble = Seconds(bad);
    CHECK_THROWS_WITH(to_json(p), ContainsSubstring("prediction.step.bubble_s"));
    Prediction q;
    q.mfu = bad;
    CHECK_THROWS_WITH(to_json(q), ContainsSubstring("prediction.mfu"));
    Prediction r;
    r.interval.cost = {1, bad};
    CHECK_THROWS_WITH(to_json(r), ContainsSubstring("prediction.interval.cost_usd"));
  }
}

TEST_CASE("of a quantity that is not finite JSON has the text") {
  Prediction p;
  p.distance = {"a ratio of ", named("ratio", std::numeric_limits<double>::infinity())};
  const Prediction back = prediction_from_json(to_json(p), "run.json");
  CHECK(back.distance.text == "a ratio of inf");
  CHECK(back.distance.quantities.at(0).text == "inf");
  CHECK_FALSE(back.distance.quantities.at(0).value);
}

TEST_CASE("text that is not UTF-8 is written as JSON all the same") {
  Prediction p;
  p.warnings = {"cut \xc3"};
  CHECK(prediction_from_json(to_json(p), "run.json").warnings.at(0) == "cut \xef\xbf\xbd");
}

TEST_CASE("a wrong key of a prediction is named with its place and the nearest right one") {
  CHECK(complaint(replaced(sample_json(), "\"optimizer_s\"", "\"optimiser_s\"")) ==
        "run.json: step: unknown key \"optimiser_s\"; did you mean \"optimizer_s\"?");
  CHECK(complaint(replaced(sample_json(), "\"speedup\"", "\"speed_up\"")) ==
        "run.json: unknown key \"speed_up\"; did you mean \"speedup\"?");
  CHECK(complaint("{\"schema_version\": 2}") == "run.json: key \"feasible\" is missing");
  CHECK(complaint(replaced(sample_json(), "\"fits\": true,", "")) == "run.json: memory: key \"fits\" is missing");
  CHECK(complaint(replaced(sample_json(), "\"fits\": true", "\"fits\": true, \"fits\": true")) ==
        "run.json: key \"fits\" is given twice in one object");
}

TEST_CASE("a wrong value of a prediction is named with its place") {
  CHECK(complaint(replaced(sample_json(), "\"fits\": true", "\"fits\": 1")) ==
        "run.json: memory.fits: expected true or false, found 1");
  CHECK(complaint(replaced(sample_json(), "\"schema_version\": 2", "\"schema_version\": 1")) ==
        "run.json: schema_version: 1 is below the smallest possible value, 2");
  CHECK(complaint(replaced(sample_json(), "\"accelerators\": 256", "\"accelerators\": 0")) ==
        "run.json: inputs.accelerators: 0 is below the smallest possible value, 1");
  CHECK(complaint(replaced(sample_json(), "\"accelerators\": 256", "\"accelerators\": 1e99")) ==
        "run.json: inputs.accelerators: expected a whole number, found 1e+99");
  CHECK(complaint(replaced(sample_json(), "\"accelerators\": 256", "\"accelerators\": 99999999999")) ==
        "run.json: inputs.accelerators: 99999999999 is above the largest possible value, 2147483647");
  CHECK(complaint(replaced(sample_json(), "\"data\": \"real\"", "\"data\": []")) ==
        "run.json: inputs.settings.data: expected a text, found a list");
  CHECK(complaint(replaced(sample_json(), "\"published\"", "\"publisched\"")) ==
        "run.json: provenance[0].source.provenance: unknown provenance \"publisched\"; did you mean \"published\"?");
  CHECK(complaint(replaced(sample_json(), "\"first\"", "1")) == "run.json: warnings[0]: expected a text, found 1");
  CHECK_THAT(complaint(replaced(sample_json(), "\"time_s\": ", "\"time_s\": -")),
             ContainsSubstring("run.json: step.time_s: -"));
  CHECK_THAT(complaint(replaced(sample_json(), "\"time_s\": ", "\"time_s\": 1e999, \"x\": ")),
             ContainsSubstring("run.json: "));
}

TEST_CASE("files that are no prediction are refused") {
  CHECK(complaint("") == "run.json: is empty, expected JSON");
  CHECK(complaint(" \n") == "run.json: is empty, expected JSON");
  CHECK(complaint(std::string("\x7f\x45LF\0\1", 6)) == "run.json: is binary, not JSON");
  CHECK(complaint("[]") == "run.json: expected an object, found a list");
  CHECK(complaint(std::string(100000, '[')) == "run.json: nested deeper than 64 levels");
  CHECK_THAT(complaint("{\n\"a\": 1,\n\"b\" 2}"), ContainsSubstring("run.json:3: is not valid JSON"));
  CHECK_THAT(complaint("{\"a\": NaN}"), ContainsSubstring("run.json:1: is not valid JSON"));
  const std::string whole = sample_json();
  for (std::size_t size = 0; size + 2 < whole.size(); size += 7) {
    CHECK_THAT(complaint(whole.substr(0, size)), ContainsSubstring("run.json"));
  }
}
