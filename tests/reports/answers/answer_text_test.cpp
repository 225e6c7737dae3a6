#include "reports/answers/answer_texts.hpp"

#include <limits>
#include <sstream>

#include "catch.hpp"
#include "reports/wrapped_text.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// Numbers that could be, chosen for the page; no model made them.
Prediction answered() {
  Prediction p;
  p.inputs.topology = "torus128x32:accelerator=tpu-v3";
  p.inputs.workload = "resnet50";
  p.inputs.accelerator = "tpu-v3";
  p.inputs.parallelism = "data=4096";
  p.inputs.precision = Precision::bf16;
  p.inputs.recipe = "lars";
  p.inputs.accelerators = 4096;
  p.inputs.global_batch = 65536;
  p.inputs.batch_per_accelerator = 16;
  p.inputs.target = "75.9 % top-1";
  p.inputs.price_kind = PriceKind::on_demand;
  p.inputs.price_date = "2019-01 to 2022-12";
  p.step.time = Seconds(0.02);
  p.step.compute = Seconds(0.01);
  p.step.exposed_communication = Seconds(0.006);
  p.step.overhead = Seconds(0.004);
  p.throughput = PerSecond(3.2e6);
  p.scaling_efficiency = 0.9;
  p.memory.per_accelerator = Bytes(8 * 1073741824.0);
  p.memory.capacity = Bytes(16 * 1073741824.0);
  p.memory.largest_batch_per_accelerator = 96;
  p.job = Prediction::Job{};
  p.job->init = Seconds(600);
  p.job->train = Seconds(30);
  p.job->billed = Seconds(630);
  p.time_to_target = Seconds(30);
  p.price = UsdPerSecond(2);
  p.cost = Usd(1260);
  p.interval = {{0.016, 0.025}, Interval{24, 40}, Interval{1250, 1280}, {}};
  p.trust = {TrustLevel::fair, "off a measured step by 8 doublings"};
  p.nearest_published =
      PublishedRun{"run", "torus128x32",         "resnet50", "bf16", 4096, 65536, "time_to_accuracy", 25,
                   24,    "A paper 2021: where", {"stack"}};
  p.warnings = {"the latency of links between pods is assumed"};
  p.provenance = {{"price", "8 USD/h", {Provenance::published, "a page", "2022"}}};
  return p;
}

std::string page(const Prediction& p, std::size_t width = 80) { return answer_text(p, {false, width, false}); }

}  // namespace

TEST_CASE("the answer stands on one page of eighty columns") {
  CHECK(page(answered()) ==
        "resnet50 on 4 096 x tpu-v3 (torus128x32) · batch 65 536 (16 each) · bf16 · lars\n"
        "\n"
        "  Time to 75.9 % top-1     30.0 s  24.0 .. 40.0 s      9 of 10 runs\n"
        "  Cost                  1 260 USD  1 250 .. 1 280 USD  10.5 min billed at 7 200\n"
        "                                                       USD/h (2022-12)\n"
        "  Throughput             3.20 M/s  2.56 .. 4.00 M/s    90 % of linear\n"
        "  Published                25.0 s  A paper 2021, this system, other software:\n"
        "                                   asked so (--like run) we say 24.0 s, -4 %\n"
        "  Trust                      fair  off a measured step by 8 doublings\n"
        "\n"
        "  Step 20.0 ms  █████████ compute 50 %  █████▍ exchange 30 %  ███▋ host 20 %\n"
        "  Memory  ██████ 8.00 GiB of 16.0 GiB, batch 16 of at most 96 each\n"
        "\n"
        "  Mostly start-up: 95 % of the bill is initialisation.\n"
        "! the latency of links between pods is assumed\n"
        "  why: mlsim explain   sources (1): --sources   cheaper: mlsim plan\n");
}

TEST_CASE("an answer of a language model says tokens, of all accelerators and of each") {
  Prediction p = answered();
  p.language = Prediction::Language{PerSecond(54'600), PerSecond(853), FlopPerSecond(4.2e14)};
  CHECK_THAT(page(p), Catch::Matchers::ContainsSubstring("Tokens                 54 600/s"));
  CHECK_THAT(page(p), Catch::Matchers::ContainsSubstring("853/s and 420 TFLOP/s"));
}

TEST_CASE("the cost stands beside that without initialisation, where there is any") {
  Prediction p = answered();
  p.cost_without_init = Usd(60);
  CHECK_THAT(page(p), Catch::Matchers::ContainsSubstring(
                          "10.5 min billed at 7 200\n"
                          "                                                       USD/h (2022-12); 60.00\n"
                          "                                                       USD without\n"
                          "                                                       initialisation\n"));
  p.job->init = Seconds(0);
  CHECK(page(p).find("without") == std::string::npos);
}

TEST_CASE("what a training takes beyond its steps stands beside its time") {
  Prediction p = answered();
  CHECK(page(p).find("beyond its steps") == std::string::npos);
  p.job->overrun = hours(3);
  CHECK_THAT(page(p), ContainsSubstring("3.00 h") && ContainsSubstring("beyond its steps"));
}

TEST_CASE("figures that are not known say what would help") {
  Prediction p = answered();
  p.time_to_target.reset();
  p.cost.reset();
  p.job.reset();
  CHECK_THAT(page(p), ContainsSubstring("-  not known; --set epochs=N") && ContainsSubstring("but the job has no end"));
  p.language.emplace();
  p.language->tokens = PerSecond(1e6);
  p.price = UsdPerSecond(0.1);  // a thousand seconds of it
  CHECK_THAT(page(p), ContainsSubstring("-  not known; --set tokens=N") &&
                          ContainsSubstring("100 USD  each 1 G tokens by steps alone"));
  p.language.reset();
  p.price.reset();
  p.nearest_published.reset();
  CHECK_THAT(page(p), ContainsSubstring("no price of this system is known") &&
                          ContainsSubstring("no run of this workload is on record"));
  CHECK_THAT(page(p), ContainsSubstring("Mostly compute: 50 % of the step is kernels"));
}

TEST_CASE("a throughput that is given has no range") {
  Prediction p = answered();
  p.inputs.settings = {{"throughput", "3.2e6"}};
  CHECK_THAT(page(p), ContainsSubstring("3.20 M/s  as given\n"));
}

TEST_CASE("a published run on another system says where, and a refusal of it so") {
  Prediction p = answered();
  p.nearest_published->differs = {"accelerators", "batch", "precision"};
  p.nearest_published->predicted.reset();
  CHECK_THAT(page(p, 100), ContainsSubstring("A paper 2021, 4 096 in torus128x32, bf16, batch 65 536: we cannot"));
}

TEST_CASE("what takes the most time is named with its share") {
  Prediction p = answered();
  p.job.reset();
  p.step.exposed_communication = Seconds(0.012);
  CHECK(limit_text(p) == "Mostly communication: 60 % of the step waits for exchanges that nothing hides.");
  p.step.exposed_communication = Seconds(0);
  p.step.bubble = Seconds(0.011);
  CHECK(limit_text(p) == "Mostly the pipeline: 55 % of the step is bubbles between its stages.");
  p.step.bubble = Seconds(0);
  p.step.input_wait = Seconds(0.015);
  p.input = Prediction::Input{PerSecond(1000), "storage", true};
  CHECK(limit_text(p) == "Mostly input: 75 % of the step waits for storage, which delivers 1 000 samples/s.");
  p.step.input_wait = Seconds(0);
  p.step.compute = Seconds(0.008);
  CHECK(limit_text(p).starts_with("Above all compute: 40 %"));
  p.memory.fits = false;
  CHECK(limit_text(p) == "It does not fit in memory.");
}

TEST_CASE("sources follow where they are asked for, and colours change nothing but colours") {
  const std::string sourced = answer_text(answered(), {false, 80, true});
  CHECK_THAT(sourced, ContainsSubstring("\nRests on\n  - price: 8 USD/h [published: a page, 2022]\n"));
  CHECK(sourced.find("--sources") == std::string::npos);
  const std::string colored = answer_text(answered(), {true, 80, false});
  CHECK(colored.starts_with("\033[1mresnet50"));
  CHECK_THAT(colored, ContainsSubstring("\033[33m! the latency"));
}

TEST_CASE("no value and no width make a line wider than the page") {
  const std::string long_word(300, 'x'), rough = "a\nb\t\033[31m\xff " + long_word;
  for (const double huge :
       {0.0, 1e15, 1e300, -1e300, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    for (const auto& word : {long_word, rough, std::string()}) {
      Prediction p = answered();
      p.inputs.topology = p.inputs.workload = p.inputs.accelerator = p.inputs.target = p.inputs.recipe = word;
      p.inputs.parallelism = p.inputs.price_date = word;
      p.inputs.accelerators = std::numeric_limits<int>::max();
      p.inputs.global_batch = p.inputs.batch_per_accelerator = huge;
      const Seconds s(huge);
      p.step = {s, s, s, s, s, s, s, s, s, s};
      p.throughput = PerSecond(huge);
      p.cost = Usd(huge);
      p.price = UsdPerSecond(huge);
      p.time_to_target = p.job->billed = p.job->train = s;
      p.interval = {{huge, huge}, Interval{huge, huge}, Interval{huge, huge}, {}};
      p.nearest_published->published = huge;
      p.nearest_published->predicted = huge;
      p.nearest_published->source = word;
      p.trust.why = word;
      p.warnings = {word};
      for (const std::size_t width : {40, 60, 80, 100}) {
        std::istringstream lines(answer_text(p, {false, width, true}));
        for (std::string line; std::getline(lines, line);) {
          INFO(huge << " " << line);
          CHECK(text_width(line) <= width);
          CHECK((line.empty() || line.back() != ' '));
        }
      }
    }
  }
}

TEST_CASE("the headline is the answer alone") {
  CHECK(headline_text(answered(), 100, false) ==
        "resnet50 on 4096 x tpu-v3: 20.0 ms a step, 3.20 M samples/s;\n"
        "30.0 s (24.0 .. 40.0 s) to 75.9 % top-1; 1 260 USD\n");
}
