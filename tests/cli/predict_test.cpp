// The main job, end to end, through the program.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "run_mlsim.hpp"

using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

namespace {

Json predicted(const std::string& arguments) {
  const ProgramRun run = run_mlsim("predict --workload resnet50 --format json " + arguments);
  INFO("mlsim predict " << arguments << "\n" << run.err);
  REQUIRE(run.code == 0);
  return Json::parse(run.out);
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::size_t columns = 0;  // UTF-8: continuation bytes take none
    for (const unsigned char c : line) columns += (c & 0xC0) != 0x80 ? 1 : 0;
    widest = std::max(widest, columns);
  }
  return widest;
}

}  // namespace

TEST_CASE("ResNet-50 on a 4096-chip torus is predicted believably") {
  const Json answer = predicted("--topology torus128x32 --global-batch 65536");
  CHECK(answer["inputs"]["accelerators"] == 4096);
  CHECK(answer["inputs"]["accelerator"] == "tpu-v3");
  // Kumar et al. 2020 (arXiv 2011.03641): 0.48 min to target with batch 65536, so about 15 ms a step.
  CHECK(answer["step"]["time_s"].get<double>() == Approx(0.015).epsilon(0.3));
  CHECK(answer["time_to_target_s"].get<double>() == Approx(0.48 * 60).epsilon(0.3));
  CHECK(answer["simulation"]["classes"] == 1);
  const auto interval = answer["interval"]["step_time_s"];
  CHECK(interval[0].get<double>() < answer["step"]["time_s"].get<double>());
  CHECK(interval[1].get<double>() > answer["step"]["time_s"].get<double>());
}

TEST_CASE("BERT to its target is asked of software that ran it there") {
  const auto answer = [](const std::string& settings) {
    const ProgramRun run =
        run_mlsim("predict --topology dgx-a100-80gb --workload bert-large --precision fp16 --format json " + settings);
    REQUIRE(run.code == 0);
    return Json::parse(run.out);
  };
  const Json plain = answer("--global-batch 448");
  CHECK(plain["inputs"]["stack"].get<std::string>().starts_with("mlperf-"));
  // MLPerf v1.1 to v3.0 on this system: 19.4 to 16.6 min, with a batch of 448; without padding.
  CHECK(plain["time_to_target_s"].get<double>() == Approx(19 * 60).epsilon(0.25));
  const auto interval = plain["interval"]["time_to_target_s"];
  CHECK(interval[0].get<double>() < 16.6 * 60);
  CHECK(interval[1].get<double>() > 19.4 * 60);
}

TEST_CASE("of two kinds of code on record that counts whose batches are near") {
  const auto answer = [](const std::string& batch) {
    const ProgramRun run =
        run_mlsim("predict --topology dgx-a100 --workload mask-rcnn --precision fp16 --format json " +
                  ("--global-batch " + batch));
    REQUIRE(run.code == 0);
    return Json::parse(run.out);
  };
  const Json run = answer("96"), example = answer("32");  // MLPerf's v0.7 and v1.0 there; DeepLearningExamples' 4 a GPU
  CHECK(run["inputs"]["stack"].get<std::string>().starts_with("mlperf-"));
  CHECK(example["inputs"]["stack"].get<std::string>().starts_with("dle-"));
  // DeepLearningExamples' TensorFlow 2 with 8 A100 and 4 a GPU: 141 images/s.
  CHECK(example["throughput_samples_per_s"].get<double>() == Approx(141).epsilon(0.2));
  CHECK(run["throughput_samples_per_s"].get<double>() > 3 * example["throughput_samples_per_s"].get<double>());
}

TEST_CASE("the same question gives the same bytes, unless it asks how long the answer took") {
  const std::string question = "predict --workload resnet50 --topology torus8x8 --global-batch 16384 --format json";
  const ProgramRun run = run_mlsim(question);
  CHECK(run.code == 0);
  CHECK(run.out == run_mlsim(question).out);
  CHECK(run.out.find("wall_s") == std::string::npos);
  const Json timed = predicted("--topology torus8x8 --global-batch 16384 --timings");
  CHECK(timed["simulation"]["wall_s"].get<double>() > 0);
  CHECK_THAT(run_mlsim("predict --topology torus4x4 --workload resnet50 --timings --verbose").out,
             ContainsSubstring("fidelity by") && ContainsSubstring(", in "));
}

TEST_CASE("all fidelities agree where all ranks are alike") {
  // Whole updates: the 1288 B of LARS norms that sharded ones exchange do not divide evenly, which messages show.
  const std::string question = "--topology torus8x8 --global-batch 16384 --set sharded_update=off --fidelity ";
  const double closed = predicted(question + "closed")["step"]["time_s"];
  for (const std::string fidelity : {"folded", "fluid", "message"}) {
    INFO(fidelity);
    CHECK(predicted(question + fidelity)["step"]["time_s"].get<double>() == Approx(closed).epsilon(1e-9));
  }
}

TEST_CASE("one slow link gives a few classes and the same time at every fidelity") {
  const std::string question = "--topology torus32x32 --set slow_link=x0y0-x1y0:0.5 --fidelity ";
  const Json folded = predicted(question + "folded"), fluid = predicted(question + "fluid");
  CHECK(folded["simulation"]["classes"].get<int>() <= 4);
  CHECK(fluid["simulation"]["classes"] == 1024);
  CHECK(folded["step"]["time_s"].get<double>() == Approx(fluid["step"]["time_s"].get<double>()).epsilon(1e-3));
  CHECK(folded["step"]["time_s"].get<double>() > predicted("--topology torus32x32")["step"]["time_s"].get<double>());
}

TEST_CASE("one slow chip holds up all others") {
  const std::string question = "--topology torus16x16:accelerator=tpu-v3 --global-batch 16384";
  const Json healthy = predicted(question), slow = predicted(question + " --set slow_rank=17:0.9");
  CHECK(slow["simulation"]["classes"].get<int>() <= 4);  // the chip, its row, its column, the rest
  const double kernels = healthy["step"]["compute_s"];
  CHECK(slow["step"]["time_s"].get<double>() - healthy["step"]["time_s"].get<double>() ==
        Approx(kernels * (1 / 0.9 - 1)).epsilon(0.02));
  CHECK(slow["step"]["straggler_wait_s"].get<double>() > 0);
}

TEST_CASE("a failed link is routed around, a cut is refused") {
  const Json healthy = predicted("--topology torus4x4"),
             around = predicted("--topology torus4x4 --set failed_link=x0y0-x1y0");
  CHECK(around["step"]["time_s"].get<double>() >= healthy["step"]["time_s"].get<double>());
  const ProgramRun cut = run_mlsim("predict --workload resnet50 --topology mesh4x1 --set failed_link=x1y0-x2y0");
  CHECK(cut.code == 1);
  CHECK_THAT(cut.err, ContainsSubstring("no route"));
}

TEST_CASE("the parts of the step make up its time") {
  for (const std::string topology : {"torus32x32", "dgx1-v100", "dgx-a100:nodes=4", "gce-k80"}) {
    const Json step = predicted("--topology " + topology)["step"];
    const double parts = step["compute_s"].get<double>() + step["exposed_communication_s"].get<double>() +
                         step["optimizer_s"].get<double>() + step["input_wait_s"].get<double>() +
                         step["overhead_s"].get<double>() + step["straggler_wait_s"].get<double>() +
                         step["bubble_s"].get<double>();
    INFO(topology);
    CHECK(step["time_s"].get<double>() == Approx(parts).epsilon(1e-6));
  }
}

TEST_CASE("the trace holds the step") {
  const ScratchFolder folder;
  const std::string trace = folder.path("trace.json");
  const Json answer = predicted("--topology torus4x4 --trace " + trace);
  const Json events = Json::parse(text_of(trace))["traceEvents"];
  double last = 0;
  for (const auto& event : events) {
    if (event["ph"] == "X") last = std::max(last, event["ts"].get<double>() + event["dur"].get<double>());
  }
  CHECK(last == Approx(answer["step"]["time_s"].get<double>() * 1e6).epsilon(1e-6));
}

TEST_CASE("the text answer fits its columns and starts with the question") {
  struct Kind {
    const char *environment, *options;
    std::size_t columns;
  };
  for (const std::string topology : {"torus128x32", "dgx1-p100", "dgx2h:nodes=32", "gke-t4:nodes=8"}) {
    for (const Kind& kind : {Kind{"COLUMNS= ", "", 80}, Kind{"COLUMNS=60 ", " --sources", 60},
                             Kind{"COLUMNS=300 ", " --sources", 100}, Kind{"COLUMNS= ", " --verbose", 80}}) {
      const ProgramRun run =
          run_mlsim("predict --workload resnet50 --topology " + topology + kind.options, kind.environment);
      INFO(topology << kind.environment << kind.options << "\n" << run.err << run.out);
      REQUIRE(run.code == 0);
      CHECK(widest_line(run.out) <= kind.columns);
      CHECK_THAT(run.out.substr(0, run.out.find('\n')), ContainsSubstring("resnet50"));
    }
  }
}

TEST_CASE("the answer is one page: figures with ranges, a published run, a word of trust, and what limits") {
  const ProgramRun run = run_mlsim("predict --workload resnet50 --topology torus128x32", "COLUMNS= ");
  CHECK(std::count(run.out.begin(), run.out.end(), '\n') <= 24);  // of a terminal
  for (const char* words : {"\n  Chosen  bf16 (as TPUs train); batch ", "\n  Time to 75.9 % top-1 ", "\n  Cost ",
                            "\n  Throughput ", "\n  Published ", "Multipod 2021, this system, batch 65 536",
                            "\n  Trust ", " off a measured step by 8 doublings", "\n  Step ", "\n  Memory  ",
                            "\n  Mostly start-up: 97 % of the bill is initialisation.",
                            "\n! the latency of the optical links", "--sources"})
    CHECK_THAT(run.out, ContainsSubstring(words));
  CHECK(run.out.find("Rests on") == std::string::npos);
  CHECK_THAT(run_mlsim("predict --workload resnet50 --topology torus128x32 --sources").out,
             ContainsSubstring("\nRests on\n  - kernel speed"));
  const ProgramRun quiet = run_mlsim("predict --workload resnet50 --topology torus128x32 --quiet");
  CHECK(quiet.out.starts_with("resnet50 on 4096 x tpu-v3: "));
  CHECK(std::count(quiet.out.begin(), quiet.out.end(), '\n') == 2);
}

TEST_CASE("what is not known is said in its row") {
  const ProgramRun run = run_mlsim(
      "predict --topology dgx-a100-80gb:nodes=8 --workload olmo-2-13b --precision bf16 --parallelism data=16,tensor=4 "
      "--global-batch 16 --set recompute=full");
  CHECK_THAT(run.out, ContainsSubstring("not known; --set tokens=N") &&
                          ContainsSubstring("no run of this workload is on record"));
  CHECK_THAT(run_mlsim("predict --topology abci --workload resnet50").out,
             ContainsSubstring("no price of this system is known; --price"));
}

TEST_CASE("options that contradict each other are refused") {
  const std::string question = "predict --workload resnet50 --topology torus4x4 ";
  CHECK(run_mlsim(question + "--quiet --verbose").code == 2);
  CHECK(run_mlsim(question + "--quiet --sources").code == 2);
  const ProgramRun json = run_mlsim(question + "--format json --sources");
  CHECK(json.code == 2);
  CHECK_THAT(json.err, ContainsSubstring("--sources"));
}

TEST_CASE("JSON has all that was asked or chosen, the word of trust and the nearest published run") {
  const Json answer = predicted("--topology torus128x32 --global-batch 65536");
  CHECK(answer["feasible"] == true);
  const Json& inputs = answer["inputs"];
  CHECK(inputs["stack"] == "mlperf-v0.7");
  CHECK(inputs["optimizer"] == "lars");
  CHECK_THAT(inputs["dataset"].get<std::string>(), ContainsSubstring("ImageNet"));
  CHECK(inputs["sequence"].is_null());
  CHECK(inputs["price_kind"] == "on-demand");
  CHECK(inputs["price_region"] == "europe-west4");
  CHECK_THAT(predicted("--topology torus128x32 --price-date 2020-07")["inputs"]["price_date"].get<std::string>(),
             ContainsSubstring("to 2022-12"));
  CHECK(answer["trust"]["level"] == "fair");
  const Json& run = answer["nearest_published"];
  CHECK(run["accelerators"] == 4096);
  CHECK(run["metric"] == "time_to_accuracy");
  CHECK(run["published_value"].get<double>() == Approx(28.8));  // Kumar et al., arXiv 2011.03641
  CHECK(run["predicted_value"].get<double>() == Approx(28.8).epsilon(0.15));
  const ProgramRun bert = run_mlsim("predict --workload bert-large:sequence=128 --topology dgx-a100 --format json");
  CHECK(Json::parse(bert.out)["inputs"]["sequence"] == 128);
}

TEST_CASE("JSON and text say why a changed network has no time to target, and which optimizer the epochs are of") {
  const std::string bert = "predict --topology dgx-a100 --workload bert-large:layers=2";
  const std::string why =
      "bert-large:layers=2 is not the network whose epochs to masked-LM accuracy 0.72 are on record";
  const Json answer = Json::parse(run_mlsim(bert + " --format json").out);
  CHECK(answer["time_to_target_s"].is_null());
  CHECK(answer["job"].is_null());
  CHECK(answer["throughput_samples_per_s"].get<double>() > 0);
  CHECK_THAT(answer["warnings"].dump(), ContainsSubstring(why));
  CHECK_THAT(run_mlsim(bert).out, ContainsSubstring("! no time to target and no cost: bert-large:layers=2"));
  const std::string resnet = "predict --topology dgx-a100 --workload resnet50 --set optimizer=adam";
  CHECK_THAT(Json::parse(run_mlsim(resnet + " --format json").out)["warnings"].dump(),
             ContainsSubstring("which trains with lars: how many adam takes is not known"));
  CHECK_THAT(run_mlsim(resnet).out, ContainsSubstring("! the epochs to target are those of recipe"));
}

TEST_CASE("a refusal as JSON says what would work") {
  const ScratchFolder folder;
  const std::string question =
      "predict --topology gce-v100 --workload bert-large --batch-per-accelerator 32 --as-is --format json";
  const ProgramRun run = run_mlsim(question);
  CHECK(run.code == 1);
  CHECK(run.err.empty());
  const Json refusal = Json::parse(run.out);
  CHECK(refusal["feasible"] == false);
  CHECK_THAT(refusal["reason"].get<std::string>(), ContainsSubstring("V100 SXM2 16 GB holds 16.0 GiB"));
  const Json& nearest = refusal["nearest"]["quantities"];
  CHECK(nearest[0]["name"] == "batch_per_accelerator");
  CHECK(nearest[0]["value"] == 28);
  CHECK(nearest[1]["value"] == 224);
  const std::string file = folder.path("refusal.json");
  CHECK(run_mlsim(question + " --output " + file).code == 1);
  CHECK(text_of(file) == run.out);
  const ProgramRun cut =
      run_mlsim("predict --workload resnet50 --topology mesh4x1 --set failed_link=x1y0-x2y0 --format json");
  CHECK(Json::parse(cut.out)["nearest"].is_null());
}

TEST_CASE("a job that never ends and a step of centuries are refused in both formats, with what is to blame") {
  const std::pair<std::string, std::string> refused[] = {
      {"--topology gke-t4:nodes=4 --workload se-resnext101-32x4d --batch-per-accelerator 8 --set epochs=90 "
       "--set failures=on --set time_between_failures=1s",
       "never ends even with checkpoints"},
      {"--topology gke-t4:nodes=4:network_bandwidth=1B/s --workload bert-large --batch-per-accelerator 1",
       "gradients"}};
  for (const auto& [arguments, blame] : refused) {
    const ProgramRun text = run_mlsim("predict " + arguments), json = run_mlsim("predict --format json " + arguments);
    CHECK(text.code == 1);
    CHECK_THAT(text.err, ContainsSubstring(blame));
    CHECK(json.code == 1);
    CHECK_THAT(Json::parse(json.out)["reason"].get<std::string>(), ContainsSubstring(blame));
  }
}

TEST_CASE("the answer says what a sample is and what the memory holds") {
  const ProgramRun run = run_mlsim("predict --workload bert-large --topology dgx1-v100 --verbose");
  CHECK_THAT(run.out, ContainsSubstring("Sample      sequence of 512 tokens"));
  CHECK_THAT(run.out,
             ContainsSubstring("of 32.0 GiB per accelerator") && ContainsSubstring("\n            activations "));
}

TEST_CASE("help shows an example for every command") {
  for (const std::string command : {"", "predict", "validate", "list", "doctor"}) {
    const ProgramRun run = run_mlsim(command + " --help");
    CHECK(run.code == 0);
    CHECK_THAT(run.out, ContainsSubstring("Example:") || ContainsSubstring("Examples:"));
  }
}

TEST_CASE("the price is that of the date asked for") {
  const Json then = predicted("--topology tpu-v2-8 --price-date 2018-04"), now = predicted("--topology tpu-v2-8");
  CHECK(then["price_usd_per_s"].get<double>() * 3600 == Approx(6.595));
  CHECK(now["price_usd_per_s"].get<double>() * 3600 == Approx(4.595));
  CHECK(then["cost_usd"].get<double>() / now["cost_usd"].get<double>() == Approx(6.595 / 4.595));
  CHECK(then["inputs"]["settings"]["price_date"] == "2018-04");
}

TEST_CASE("list and doctor answer") {
  CHECK_THAT(run_mlsim("list recipes").out, ContainsSubstring("v0.7-lars-tf"));
  CHECK_THAT(run_mlsim("list topologies").out, ContainsSubstring("torus128x32"));
  CHECK_THAT(run_mlsim("list workloads").out, ContainsSubstring("25 557 032"));
  CHECK_THAT(run_mlsim("list accelerators").out, ContainsSubstring("tpu-v3") && ContainsSubstring("  80  16.0 GiB"));
  CHECK_THAT(run_mlsim("list profiles").out, ContainsSubstring("mlperf-v0.7"));
  CHECK_THAT(run_mlsim("list prices").out, ContainsSubstring("USD/h"));
  CHECK_THAT(run_mlsim("list collectives").out, ContainsSubstring("torus-2d"));
  const ProgramRun doctor = run_mlsim("doctor");
  CHECK(doctor.code == 0);
  CHECK_THAT(doctor.out, ContainsSubstring("SimGrid"));
}

TEST_CASE("many ranks message by message say first what that takes") {
  const auto question = [](const std::string& nodes) {
    return "predict --topology dgx-a100:nodes=" + nodes +
           " --workload resnet50 --batch-per-accelerator 32 --fidelity message";
  };
  const ProgramRun many = run_mlsim(question("128"));
  CHECK(many.code == 0);
  CHECK_THAT(many.err, ContainsSubstring("simulating every message of 1 024 ranks, which takes "));
  CHECK(run_mlsim(question("128 --quiet")).err.empty());
  CHECK(run_mlsim(question("2")).err.empty());
}
