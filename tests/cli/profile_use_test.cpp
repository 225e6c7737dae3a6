// Profiles of one's own on the command line: what list shows of them, what predictions say, and what is refused.
#include "bad_case.hpp"
#include "catch.hpp"
#include "run_mlsim.hpp"
#include "scratch_folder.hpp"

namespace {

const std::string kSource = R"("source": {"provenance": "measured", "source": "a host", "date": "2026-11-21"})";
const std::string kError = R"({"median": 0.03, "p90": 0.07, "count": 12})";

// One kernel, one law and one collective of two GPUs' hosts.
std::string profile(const std::string& version, const std::string& median, const std::string& payloads) {
  return R"({"schema_version": )" + version +
         R"(, "accelerator": "a100-sxm4-40gb", "machine": "dgx-a100", "environment": {"date": "2026-11-21"},
  "efficiency": [], "stacks": [],
  "kernels": [{"kernel": "matmul fp32 64 64 64", "threads": 0, "cache": "cold", "median_s": )" +
         median + R"(, "lower_quartile_s": 1e-6, "upper_quartile_s": 3e-6, "count": 20, "outliers": 0, )" + kSource +
         R"(}],
  "laws": [{"kernels": "conv_forward dense_forward", "precision": "fp32", "threads": 0,
            "constants": {"compute_flop_per_s": 1e13, "memory_bytes_per_s": 1e12, "per_kernel_s": 1e-6},
            "exponent": 1, "tile_m": 1, "tile_n": 1, "units": 1, "residual": )" +
         kError + R"(, "held_back": )" + kError + R"(, "replicas": [], )" + kSource + R"(}],
  "probes": [],
  "collectives": [{"kind": "all-reduce", "library": "nccl", "device": "cuda", "precision": "fp32", "machine": "",
                   "nodes": 1, "ranks_per_node": 8, "points": [],
                   "knots": [{"payload_bytes": 1024, "time_s": 1e-5, "slope": 0.1},
                             {"payload_bytes": )" +
         payloads + R"(, "time_s": 1e-2, "slope": 1}],
                   "tail_s_per_byte": 1e-11, "segments": [], "residual": )" +
         kError + R"(, "held_back": )" + kError + R"(, "replicas": [], )" + kSource + R"(}],
  "rank_scalings": [], "anchors": []})";
}

const std::string kGood = profile("2", "2e-6", "1073741824");

// Without the kernel and the law, which other GPUs learn from.
std::string collectives_alone() {
  std::string text = kGood;
  for (const std::string key : {"\"kernels\": [", "\"laws\": ["}) {
    const auto begin = text.find(key + "{") + key.size();
    text.erase(begin, text.find("}],", begin) + 1 - begin);
  }
  return text;
}

}  // namespace

TEST_CASE("list profiles shows what one's own profile measured, with the errors of its fits") {
  const ScratchFolder folder;
  const std::string file = folder.file("mine.json", kGood);
  const ProgramRun run = run_mlsim("list profiles --profile " + file, "COLUMNS=100 ");
  CHECK(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("dgx-a100") && ContainsSubstring("2026-11-21"));
  CHECK_THAT(run.out, ContainsSubstring("conv_forward") && ContainsSubstring("3.0 / 7.0 %"));
  CHECK_THAT(run.out, ContainsSubstring("all-reduce") && ContainsSubstring("1 x 8") && ContainsSubstring("up to"));
  CHECK_THAT(run.out, ContainsSubstring("mlperf-v0.7"));  // and still the terms of stacks
  check({"list topologies --profile " + file, "list profiles takes it"});
}

TEST_CASE("a prediction with one's own profile says what it rests on and what to measure next") {
  const ScratchFolder folder;
  const std::string file = folder.file("mine.json", kGood);
  const ProgramRun run = run_mlsim(
      "predict --topology dgx-a100 --workload resnet50 --precision fp32 --batch-per-accelerator 32 --verbose "
      "--profile " +
      file);
  CHECK(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("all-reduce measured (nccl, 1 x 8 ranks, 2026-11-21)"));
  CHECK_THAT(run.out, ContainsSubstring("by a law of measured ones for"));
  CHECK_THAT(run.out, ContainsSubstring("Measure next") && ContainsSubstring("mlsim calibrate --device cuda"));
}

TEST_CASE("an explanation says what to measure next as the prediction of the same step does") {
  const ScratchFolder folder;
  const std::string asked =
      " --topology dgx-a100 --workload resnet50 --precision fp32 --batch-per-accelerator 32 --profile " +
      folder.file("mine.json", kGood);
  const auto section = [](const std::string& text) {
    const auto begin = text.find("Measure next\n");
    return begin == std::string::npos ? std::string() : text.substr(begin, text.find("\n\n", begin) - begin);
  };
  const std::string predicted = section(run_mlsim("predict" + asked + " --verbose").out);
  const ProgramRun run = run_mlsim("explain" + asked);
  CHECK(run.code == 0);
  CHECK_FALSE(predicted.empty());
  CHECK(unwrapped(section(run.out)) == unwrapped(predicted));
  CHECK_THAT(run_mlsim("explain --topology dgx-a100 --workload resnet50").out, !ContainsSubstring("Measure next"));
}

TEST_CASE("a profile of another version, with negative times or payloads out of order is refused in a sentence") {
  const ScratchFolder folder;
  const std::string tail = " --batch-per-accelerator 32";
  const auto with = [&](const std::string& name, const std::string& text) {
    return kPredict + "--profile " + folder.file(name, text) + tail;
  };
  check({{with("old.json", profile("1", "2e-6", "1073741824")), "this mlsim reads 2: run mlsim calibrate again"},
         {with("negative.json", profile("2", "-2e-6", "1073741824")), "median_s"},
         {with("nan.json", profile("2", "NaN", "1073741824")), "nan.json"},
         {with("unsorted.json", profile("2", "2e-6", "8")), "payloads do not rise"},
         {with("outside.json", profile("2", "2e-5", "1073741824")), "does not lie between the quartiles"}});
}

TEST_CASE("a profile that changes nothing in any answer is said to, with the reason, and one that does is not") {
  const ScratchFolder folder;
  const std::string mine = folder.file("mine.json", collectives_alone());
  const std::string asked = "--topology dgx-a100 --workload resnet50 --batch-per-accelerator 32 --precision fp32 ";
  const auto says = [&](const std::string& command, const std::string& words) {
    INFO(command);
    const ProgramRun run = run_mlsim(command);
    CHECK(run.code == 0);
    CHECK_THAT(run.err, ContainsSubstring("--profile: " + mine + " changed nothing") && ContainsSubstring(words));
  };
  for (const std::string command : {"predict ", "explain "}) {
    CHECK_THAT(run_mlsim(command + asked + "--profile " + mine).err, !ContainsSubstring("changed nothing"));
    says(command + "--topology dgx-h100 --workload resnet50 --batch-per-accelerator 32 --profile " + mine,
         "it is of a100-sxm4-40gb, and the accelerators here are h100-sxm5");
  }
  says("compare dgx-h100 dgx1-v100 --workload resnet50 --batch-per-accelerator 32 --profile " + mine,
       "it is of a100-sxm4-40gb, and the accelerators here are h100-sxm5, v100");
  const std::string store = " --quiet --output " + folder.path("s.sqlite");
  says("sweep --topology dgx-h100:nodes=1..4 --workload resnet50 --batch-per-accelerator 32 --profile " + mine + store,
       "it is of a100-sxm4-40gb");
  CHECK_THAT(run_mlsim("sweep --topology dgx-h100,dgx-a100 --workload resnet50 --batch-per-accelerator 32 --precision "
                       "fp32 --restart --profile " +
                       mine + store)
                 .err,
             !ContainsSubstring("changed nothing"));
}

TEST_CASE("of two profiles with the same figures the later changes nothing") {
  const ScratchFolder folder;
  const std::string first = folder.file("a.json", kGood), second = folder.file("b.json", kGood);
  const ProgramRun run = run_mlsim(
      "predict --topology dgx-a100 --workload resnet50 --precision fp32 --batch-per-accelerator 32 --profile " + first +
      " --profile " + second);
  CHECK_THAT(run.err, ContainsSubstring(second + " changed nothing") && ContainsSubstring("a profile before it"));
}

TEST_CASE("a sweep that names no machine serves no system, and how it would is said") {
  const ScratchFolder folder;
  const std::string log = std::string(MLSIM_SOURCE_DIR) + "/examples/import-nccl-tests/dgx-a100-2-nodes.txt";
  const std::string mine = folder.path("mine.json");
  const std::string predict =
      "predict --topology dgx-a100:nodes=2 --workload resnet50 --precision fp16 --batch-per-accelerator 32 --profile ";
  REQUIRE(run_mlsim("import " + log + " --accelerator a100-sxm4-40gb --output " + mine).code == 0);
  CHECK_THAT(run_mlsim(predict + mine).err, ContainsSubstring("mine.json changed nothing: its collectives name no "
                                                              "machine; import them again as FILE:machine=dgx-a100"));
  REQUIRE(run_mlsim("import " + log + ":machine=dgx-a100 --accelerator a100-sxm4-40gb --output " + mine).code == 0);
  CHECK_THAT(run_mlsim(predict + mine).err, !ContainsSubstring("changed nothing"));
}

TEST_CASE("a sweep of nccl-tests in float serves a step in fp16, and the answer says so") {
  const ScratchFolder folder;
  const std::string file = folder.file("mine.json", kGood);
  const ProgramRun run = run_mlsim(
      "predict --topology dgx-a100 --workload resnet50 --precision fp16 --batch-per-accelerator 32 --verbose "
      "--profile " +
      file);
  CHECK(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("all-reduce measured (nccl, 1 x 8 ranks, of fp32, 2026-11-21)"));
  CHECK_THAT(run.err, !ContainsSubstring("changed nothing"));
}

TEST_CASE("a profile that no published case and no machine file can use is said to be of no use") {
  const ScratchFolder folder;
  std::string log = text_of(std::string(MLSIM_SOURCE_DIR) + "/examples/import-nccl-tests/dgx-a100-2-nodes.txt");
  for (auto at = log.find("A100-SXM4-40GB"); at != std::string::npos; at = log.find("A100-SXM4-40GB"))
    log.replace(at, 14, "Own Device");
  const std::string mine = folder.path("mine.json");
  REQUIRE(run_mlsim("import " + folder.file("own.txt", log) + " --accelerator mine --output " + mine).code == 0);
  CHECK_THAT(run_mlsim("validate anchors --profile " + mine).err,
             ContainsSubstring("mine.json changed nothing: it is of mine, on which no case was run"));
  const ProgramRun machine = run_mlsim("topology --profile " + mine);
  if (machine.code == 3) return;  // a build without hwloc
  CHECK_THAT(machine.err, ContainsSubstring("mine.json holds no probe of this processor's rates"));
}
