#include "reports/answers/answer_texts.hpp"

#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include "catch.hpp"
#include "reports/wrapped_text.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// Numbers that could be, chosen for the page; no model made them.
Prediction fixed_prediction() {
  Prediction p;
  p.inputs = {"torus128x32",
              "resnet50",
              "tpu-v3",
              "data=4096",
              Precision::bf16,
              Fidelity::folded,
              "lars",
              4096,
              65536,
              16,
              0,
              {{"data", "real"}},
              "75.9 % top-1",
              "image",
              {"2-D ring all-reduce"}};
  p.step = {Seconds(0.0198),  Seconds(0.0142), Seconds(0.0051), Seconds(0.0022), Seconds(0.0006),
            Seconds(0.00001), Seconds(0),      Seconds(0),      Seconds(0.0028), Seconds(0)};
  p.throughput = PerSecond(3.31e6);
  p.speedup = 3630;
  p.scaling_efficiency = 0.886;
  p.mfu = 0.312;
  const Bytes gib(1073741824);
  p.memory = {gib * 2.5, true, 96, gib * 16, {gib * 0.25, gib * 0.125, gib * 0.5, gib * 1.5, gib * 0.125, Bytes(0)}};
  p.input = Prediction::Input{PerSecond(3.9e6), "decoding on the host", false};
  p.job = Prediction::Job{};
  p.job->samples_to_target = 1.127e8;
  p.job->epochs_to_target = 88;
  p.job->steps = 1720;
  p.job->evaluations = 22;
  p.job->init = Seconds(598);
  p.job->train = Seconds(34.1);
  p.job->evaluation = Seconds(3.2);
  p.job->billed = Seconds(636);
  p.time_to_target = Seconds(37.3);
  p.cost = Usd(70.1);
  p.interval = {{0.0172, 0.0226}, Interval{31.9, 43.8}, Interval{60, 82.4}, {}};
  p.distance = "anchored: 8 doublings of accelerators, 4 halvings of batch";
  p.simulation = {Fidelity::folded, "simgrid", 4096, 9, 62, 1240, {}};
  p.provenance = {
      {"kernel speed",
       "efficiency curve of tpu-v3, times 1.04",
       {Provenance::fitted,
        "MLPerf Training result logs, github.com/mlcommons/training_results_v0.6, on the smallest system", "2019"}},
      {"price", "8 USD/h per TPU v3-8", {Provenance::published, "cloud.google.com/tpu/pricing", ""}}};
  p.warnings = {
      "the batch per accelerator lies below every measured one, so the kernel speed is extrapolated and its error "
      "grows"};
  return p;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

void check_page(const std::string& text) {
  CHECK(text.back() == '\n');
  for (const auto& line : lines(text)) {
    INFO(line);
    CHECK(text_width(line) <= 100);
    CHECK((line.empty() || line.back() != ' '));
  }
}

// Without the colours.
std::string bare(std::string text) {
  for (auto at = text.find('\033'); at != std::string::npos; at = text.find('\033'))
    text.erase(at, text.find('m', at) - at + 1);
  return text;
}

}  // namespace

TEST_CASE("a prediction prints as the golden page") {
  std::ifstream file(MLSIM_SOURCE_DIR "/tests/golden/prediction.txt");
  const std::string golden{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string text = prediction_text(fixed_prediction(), 100, false);
  CHECK(text == golden);
  check_page(text);
}

TEST_CASE("the answer stands on the first line") {
  Prediction p = fixed_prediction();
  p.cost.reset();
  CHECK(lines(prediction_text(p, 100, false)).at(0) ==
        "resnet50 on 4096 x tpu-v3: 19.8 ms a step, 3.31 M samples/s; 37.3 s (31.9 .. 43.8 s) to 75.9 % top-1");
}

TEST_CASE("how long the answer took is said only where it was timed") {
  Prediction p = fixed_prediction();
  CHECK_THAT(prediction_text(p, 100, false), !ContainsSubstring("by simgrid, in"));
  p.simulation.wall_s = 0.0123;
  CHECK_THAT(prediction_text(p, 100, false), ContainsSubstring("by simgrid, in 12.3 ms\n"));
}

TEST_CASE("the price index says what it is made of") {
  Prediction p = fixed_prediction();
  p.price_index = PriceIndex{1.2, 2};
  CHECK_THAT(prediction_text(p, 100, false),
             ContainsSubstring("Price index 0.6: the training costs 1.2 times as much as on one accelerator and is 2"));
}

TEST_CASE("shares of the step are of the whole step") {
  const std::string text = prediction_text(fixed_prediction(), 100, false);
  CHECK_THAT(text, ContainsSubstring("71.7 %"));                // 14.2 / 19.8
  CHECK_THAT(text, ContainsSubstring("11.1 %"));                // 2.2 / 19.8
  CHECK_THAT(text, ContainsSubstring("2.90 ms of it hidden"));  // 5.1 - 2.2
}

TEST_CASE("figures that are not known are left out") {
  Prediction p = fixed_prediction();
  p.mfu.reset();
  p.job.reset();
  p.time_to_target.reset();
  p.cost.reset();
  const std::string text = prediction_text(p, 100, false);
  CHECK(text.find("MFU") == std::string::npos);
  CHECK(text.find("USD (") == std::string::npos);
  CHECK(text.find("to 75.9 %") == std::string::npos);
  CHECK(text.find("epochs") == std::string::npos);
}

TEST_CASE("what a job spends on failures, checkpoints and preemptions is named with how many there were") {
  Prediction p = fixed_prediction();
  p.job->checkpoints = 12;
  p.job->checkpoint = Seconds(60);
  p.job->checkpoint_interval = Seconds(2280);
  p.job->failures = 1.5;
  p.job->restart = Seconds(900);
  p.job->preemptions = 0.25;
  p.job->preemption = Seconds(150);
  p.job->teardown = Seconds(30);
  const std::string text = prediction_text(p, 100, false);
  CHECK_THAT(text, ContainsSubstring("22 evaluations 3.20 s, 12 checkpoints 60.0 s, 1.5 failures 15.0 min"));
  CHECK_THAT(text, ContainsSubstring("0.25 preemptions 2.50 min"));
  CHECK_THAT(text, ContainsSubstring("a checkpoint every 38.0 min of work"));
  CHECK_THAT(text, ContainsSubstring("initialisation 9.97 min, tear-down 30.0 s"));
}

TEST_CASE("the cost says what it is without initialisation") {
  Prediction p = fixed_prediction();
  p.cost_without_init = Usd(12.5);
  CHECK_THAT(prediction_text(p, 100, false), ContainsSubstring("USD), 12.50 USD without initialisation\n"));
}

TEST_CASE("an input that limits says so") {
  Prediction p = fixed_prediction();
  CHECK_THAT(prediction_text(p, 100, false), ContainsSubstring("decoding on the host can deliver 3.90 M samples/s\n"));
  p.input->limits = true;
  CHECK_THAT(prediction_text(p, 100, false), ContainsSubstring("it limits the step"));
  p.input.reset();
  CHECK(prediction_text(p, 100, false).find("can deliver") == std::string::npos);
}

TEST_CASE("a plan beyond the memory says so on the first line") {
  Prediction p = fixed_prediction();
  p.memory.fits = false;
  p.inputs.target = "t";
  CHECK_THAT(prediction_text(p, 100, false),
             ContainsSubstring("does not fit in memory") && ContainsSubstring("DOES NOT FIT"));
}

TEST_CASE("colours change nothing but colours") {
  const std::string plain = prediction_text(fixed_prediction(), 100, false);
  const std::string colored = prediction_text(fixed_prediction(), 100, true);
  CHECK(plain.find('\033') == std::string::npos);
  CHECK(colored.find("\033[1m") == 0);
  CHECK(bare(colored) == plain);
}

TEST_CASE("no value makes the page wider than 100 columns") {
  const std::string long_word(500, 'x'), wide = "\xe6\xa8\xa1\xe5\x9e\x8b " + long_word,
                                         rough = "a\nb\t\033[31m\xff " + long_word;
  for (const double huge : {0.0, 1e-300, 1e15, 1e300, -1e300, std::numeric_limits<double>::max(),
                            std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    for (const auto& name : {long_word, wide, rough, std::string()}) {
      const Seconds s(huge);
      Prediction p;
      p.inputs = {name, name,           name, name, Precision::bf16,  Fidelity::message, name, 2147483647, huge, huge,
                  0,    {{name, name}}, name, name, {Statement(name)}};
      p.step = {s, s, s, s, s, s, s, s, s, s};
      p.throughput = PerSecond(huge);
      p.speedup = p.scaling_efficiency = huge;
      p.mfu = huge;
      const Bytes b(huge);
      p.memory = {b, true, 2147483647, b, {b, b, b, b, b, b}};
      p.input = Prediction::Input{PerSecond(huge), name, true};
      p.job = Prediction::Job{huge, huge, huge, huge, huge, huge, huge, ClockRule::wall, s, s, s, s, s, s,
                              s,    s,    s,    s,    s,    s,    s};
      p.time_to_target = s;
      p.cost = Usd(huge);
      p.interval = {{huge, huge}, Interval{huge, huge}, Interval{huge, huge}, {}};
      p.distance = name;
      const auto most = std::numeric_limits<std::uint64_t>::max();
      p.simulation = {Fidelity::message, name, 2147483647, most, most, most, huge};
      p.provenance = {{name, name, {Provenance::measured, name, name}}};
      p.warnings = {name};
      const std::string text = prediction_text(p, 100, false);
      check_page(text);
      CHECK(text.find('\033') == std::string::npos);
    }
  }
}
