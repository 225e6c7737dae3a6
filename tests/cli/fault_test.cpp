// What is left and what is said when the machine fails: processes killed, none to be had, no memory, no space.
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "bad_case.hpp"
#include "calibration_bench.hpp"
#include "catch.hpp"
#include "drawn_of.hpp"
#include "started_mlsim.hpp"

namespace {

using Milliseconds = std::chrono::milliseconds;

const std::string kMlsim = MLSIM_PROGRAM;
const std::string kQuiet = " >/dev/null 2>&1";

// A table of five runs and what they are compared to; half of a second on a quick machine.
std::string cases_in(const ScratchFolder& folder) {
  std::istringstream table(text_of(MLSIM_SOURCE_DIR "/validation/published/horovod.csv"));
  std::string text, line;
  for (int lines = 0; lines < 12 && std::getline(table, line); ++lines) text += line + "\n";
  return folder.file("cases.csv", text);
}

// So many moments between the start of a command and its end, the same in each run of the test.
class Moments {
 public:
  explicit Moments(Milliseconds whole) : time_(0, 1000 * whole.count()) {}
  std::chrono::microseconds next() { return std::chrono::microseconds(time_(random_)); }

 private:
  std::mt19937 random_{20261123};
  std::uniform_int_distribution<std::int64_t> time_;
};

// A command that is killed again and again while it writes `outputs` over `earlier`.
struct KilledCommand {
  std::string command;
  std::vector<std::string> outputs;
  std::string earlier;   // text of each output; empty: there is none
  bool is_json = false;  // whole where it is JSON: two runs differ in a time
  int code = 0;
};

class KilledRuns {
 public:
  KilledRuns(const ScratchFolder& folder, const KilledCommand& what) : folder_(folder), what_(what) {
    const std::size_t inputs = folder.entries();
    const auto begin = std::chrono::steady_clock::now();
    finish();
    whole_time_ = std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - begin);
    for (const std::string& output : what.outputs) whole_.push_back(text_of(folder.path(output)));
    entries_ = inputs + what.outputs.size();
    CHECK(folder.entries() == entries_);
  }

  void kill(int times) {
    Moments moments(whole_time_);
    for (int i = 0; i < times; ++i) {
      for (const std::string& output : what_.outputs) {
        std::filesystem::remove(folder_.path(output));
        if (!what_.earlier.empty()) folder_.file(output, what_.earlier);
      }
      const StartedMlsim run(folder_.path().string(), what_.command + kQuiet);
      std::this_thread::sleep_for(moments.next());
      run.kill();
      CHECK(run.all_ended_within(std::chrono::seconds(5)));
      for (std::size_t o = 0; o < what_.outputs.size(); ++o) check_output(o);
    }
    finish();
    for (std::size_t o = 0; o < what_.outputs.size(); ++o) CHECK(is_whole(o));
    CHECK(folder_.entries() == entries_);
  }

 private:
  void finish() const { REQUIRE(StartedMlsim(folder_.path().string(), what_.command + kQuiet).wait() == what_.code); }

  void check_output(std::size_t o) const {
    const std::string path = folder_.path(what_.outputs[o]);
    const bool is_earlier = what_.earlier.empty() ? !std::filesystem::exists(path) : text_of(path) == what_.earlier;
    CHECK((is_earlier || is_whole(o)));
  }

  bool is_whole(std::size_t o) const {
    const std::string text = text_of(folder_.path(what_.outputs[o]));
    return what_.is_json ? nlohmann::json::accept(text) : text == whole_[o];
  }

  const ScratchFolder& folder_;
  const KilledCommand& what_;
  Milliseconds whole_time_{0};
  std::vector<std::string> whole_;
  std::size_t entries_ = 0;
};

void kill_again_and_again(const ScratchFolder& folder, int times, const KilledCommand& what) {
  INFO(what.command);
  KilledRuns(folder, what).kill(drawn_of(times));
}

// What mlsim said where it failed: one sentence, and no answer.
void check_failure(const ProgramRun& run, const std::string& says) {
  CHECK(run.code == 3);
  CHECK(run.out.empty());
  CHECK_THAT(run.err, Catch::Matchers::StartsWith("mlsim: ") && ContainsSubstring(says));
  CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
}

// A few lines of shell in file systems of its own; false where only root may have such.
bool has_own_mounts() {
  if (std::system("unshare -m mount -t tmpfs none /mnt 2>/dev/null") == 0) return true;
  WARN("skipped: no file system can be mounted here");
  return false;
}

// In a folder that is a small or read-only file system, which holds `earlier` as a.json and b.json.
ProgramRun run_mounted(const std::string& arguments, const std::string& size, const std::string& then) {
  const ScratchFolder folder;
  const std::string at = folder.path().string();
  const std::string script = "mount -t tmpfs -o size=" + size + " none '" + at + "' && cd '" + at +
                             "' && echo '{}' >a.json && cp a.json b.json && " + then + "; " + kMlsim + " " + arguments +
                             "; code=$?; ls -A; cat a.json b.json; exit $code";
  const ScratchFolder said;
  const std::string file = said.file("script", script);
  const int status =
      std::system(("unshare -m sh '" + file + "' >'" + said.path("out") + "' 2>'" + said.path("err") + "'").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(said.path("out")), text_of(said.path("err"))};
}

// As a user with at most so many processes, who is not this one: the limit does not hold for root.
int code_with_processes(rlim_t most, const ScratchFolder& folder, const std::string& command) {
  ::chmod(folder.path().c_str(), 0777);
  return StartedMlsim(folder.path().string(), command,
                      [most] {
                        const rlimit limit{most, most};
                        ::setrlimit(RLIMIT_NPROC, &limit);
                        const uid_t somebody = 100000 + static_cast<uid_t>(::getpid());
                        if (::geteuid() == 0 && ::setuid(somebody) != 0) ::_exit(126);
                      })
      .wait();
}

}  // namespace

TEST_CASE("a command that is killed at any moment leaves each file as it was or as it is to be, and nothing else") {
  const ScratchFolder folder;
  const std::string table = cases_in(folder);
  kill_again_and_again(folder, 50,
                       {kMlsim + " predict --topology torus4x4 --workload resnet50 --format json --output a.json "
                                 "--trace b.json",
                        {"a.json", "b.json"},
                        "before\n"});
  for (const std::string output : {"a.json", "b.json"}) std::filesystem::remove(folder.path(output));
  kill_again_and_again(folder, 20,
                       {kMlsim + " validate published --cases cases.csv --output a.txt", {"a.txt"}, "before\n"});
}

TEST_CASE("an import and a calibration that are killed at any moment leave whole profiles, and the next run goes on") {
  const ScratchFolder folder;
  kill_again_and_again(folder, 30,
                       {kMlsim + " import " MLSIM_SOURCE_DIR "/examples/import-nccl-tests/dgx-a100-2-nodes.txt "
                                 "--accelerator a100-sxm4-40gb --output a.json",
                        {"a.json"},
                        ""});
  const CalibrationBench bench;
  kill_again_and_again(bench.folder(), 20,
                       {"./mlsim calibrate " + kSmallCalibration + "--output a.json", {"a.json"}, "", true});
  const auto profile = nlohmann::json::parse(bench.file("a.json"));
  CHECK(profile["kernels"].size() >= 5);
}

TEST_CASE("when mlsim is killed, no simulation that it began goes on") {
  const ScratchFolder folder;
  const std::string minutes = " --topology torus64x64 --workload resnet50 --fidelity fluid --set engine=simgrid";
  for (const std::string& command : {kMlsim + " predict" + minutes, kMlsim + " sweep --output s.sqlite" + minutes}) {
    INFO(command);
    const StartedMlsim run(folder.path().string(), command + kQuiet);
    REQUIRE(run.child() > 0);
    run.kill();
    CHECK(run.all_ended_within(std::chrono::seconds(2)));
  }
}

TEST_CASE("a worker that is killed changes no byte of the answer, and what it was asked is named") {
  const ScratchFolder folder;
  cases_in(folder);
  const std::vector<std::pair<std::string, std::string>> commands{
      {"validate published --cases cases.csv --format json --output ", "mlsim: horovod-2017-"},
      {"sweep --topology dgx-a100,dgx1-v100 --workload resnet50 --format csv --output ", "mlsim: point "},
      {"plan --workload resnet50 --topology dgx-a100,dgx1-v100 --most-accelerators 8 --deadline 9h --format json "
       "--output ",
       " accelerators of dgx"}};
  for (const auto& [command, name] : commands) {
    INFO(command);
    const std::string path = folder.path().string(), line = kMlsim + " " + command;
    const int code = StartedMlsim(path, line + "whole" + kQuiet).wait();
    for (int i = 0; i < 4; ++i) {
      const StartedMlsim run(path, line + "again >/dev/null 2>err");
      const pid_t worker = run.child();
      REQUIRE(worker > 0);
      std::this_thread::sleep_for(Milliseconds(i));
      ::kill(worker, SIGKILL);
      CHECK(run.wait() == code);
      CHECK(text_of(folder.path("again")) == text_of(folder.path("whole")));
      const std::string said = text_of(folder.path("err"));
      if (i == 0 || !said.empty())
        CHECK_THAT(said,
                   ContainsSubstring(name) && ContainsSubstring("was ended by signal Killed; it is asked again\n"));
    }
  }
}

TEST_CASE("without processes mlsim says so and leaves the earlier file; with few it answers all the same") {
  const ScratchFolder folder;
  cases_in(folder);
  const std::string step = kMlsim + " predict --topology torus4x4 --workload resnet50 --output a.txt >out 2>err";
  const std::string table = kMlsim + " validate published --cases cases.csv --output a.txt >out 2>err";
  folder.file("a.txt", "before\n");
  ::chmod(folder.path("a.txt").c_str(), 0666);
  for (const std::string& command : {step, table}) {
    const int code = code_with_processes(1, folder, command);
    if (code >= 126) {
      WARN("skipped: another user cannot run " + kMlsim);
      return;
    }
    check_failure({code, text_of(folder.path("out")), text_of(folder.path("err"))}, "no child process: ");
    CHECK(text_of(folder.path("a.txt")) == "before\n");
    std::filesystem::remove(folder.path("out"));
    std::filesystem::remove(folder.path("err"));
  }
  if (::geteuid() != 0) return;
  const int code = StartedMlsim(folder.path().string(), table).wait();
  const std::string whole = text_of(folder.path("a.txt"));
  ::chmod(folder.path("a.txt").c_str(), 0666);
  for (const std::string name : {"out", "err"}) std::filesystem::remove(folder.path(name));
  CHECK(code_with_processes(2, folder, table) == code);
  CHECK(text_of(folder.path("a.txt")) == whole);
}

namespace {

// What the machine fails is asked again before it is an error.
std::string without_retries(const std::string& said) {
  std::istringstream lines(said);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (!line.ends_with("it is asked again")) kept += line + '\n';
  return kept;
}

}  // namespace

TEST_CASE("with too little memory every command says so in one sentence") {
  int least = 20'000;  // KiB of address space in which the program starts at all
  const auto limit = [](int kib) { return "ulimit -v " + std::to_string(kib) + "; "; };
  while (run_mlsim("--version", limit(least)).code != 0) least += 1'000;
  int failures = 0;
  for (const std::string arguments :
       {"predict --topology torus16x16 --workload resnet50 --fidelity message",
        "explain --topology torus32x32 --workload resnet50 --fidelity fluid",
        "validate published --cases " MLSIM_SOURCE_DIR "/validation/published/papers.csv", "list topologies",
        "plan --workload bert --deadline 2h --topology dgx-a100", "list accelerators"}) {
    for (const int more : {0, 1'000, 4'000, 16'000, 64'000}) {
      INFO(arguments << ", " << least + more << " KiB");
      ProgramRun run = run_mlsim(arguments, limit(least + more));
      if (run.code == 0 || run.code == 1) continue;
      ++failures;
      run.err = without_retries(run.err);
      check_failure(run, "memory");
    }
  }
  CHECK(failures > 3);
}

TEST_CASE("a full disk, a read-only folder and a file that may not grow are said, and earlier files stay") {
  const std::string predict =
      "predict --topology torus16x16 --workload resnet50 --verbose --output a.json --trace b.json";
  check({kPredict + "--output /dev/full", "/dev/full: cannot be written: No space left"});
  const ScratchFolder folder;
  const std::string path = folder.path().string(), output = folder.file("a.txt", "before\n");
  CHECK(StartedMlsim(path, kMlsim + " " + kPredict + ">/dev/full 2>err").wait() == 2);
  CHECK_THAT(text_of(folder.path("err")), ContainsSubstring("stdout: cannot be written"));
  StartedMlsim(path, "sh -c '(ulimit -f 0; " + kMlsim + " " + kPredict + "--output a.txt; echo $?) 2>&1 | cat >err'")
      .wait();
  CHECK(text_of(folder.path("err")) == "mlsim: a.txt: cannot be written: File too large\n2\n");
  CHECK(text_of(output) == "before\n");
  CHECK(folder.entries() == 2);
  if (!has_own_mounts()) return;
  const ProgramRun full = run_mounted(predict, "16k", "head -c 100000 /dev/zero 2>/dev/null >filler");
  CHECK(full.code == 2);
  CHECK_THAT(full.err, ContainsSubstring(".json: cannot be written: No space left"));
  CHECK(full.out == "a.json\nb.json\nfiller\n{}\n{}\n");
  const ProgramRun read_only = run_mounted(predict, "1m", "mount -o remount,ro .");
  CHECK(read_only.code == 2);
  CHECK_THAT(read_only.err, ContainsSubstring(".json: cannot be written: Read-only"));
  CHECK(read_only.out == "a.json\nb.json\n{}\n{}\n");
}

TEST_CASE("without a folder for temporary files everything is answered") {
  const ScratchFolder folder;
  for (const std::string& arguments :
       {kPredict + "--output '" + folder.path("a.txt") + "'",
        "sweep --quiet --topology torus4x4 --workload resnet50 --output '" + folder.path("s.sqlite") + "'"})
    CHECK(run_mlsim(arguments, "TMPDIR=/nowhere ").code == 0);
  CHECK(folder.entries() == 2);
}

TEST_CASE("closed standard streams take no file's place") {
  const ScratchFolder folder;
  const std::string question = kMlsim + " predict --topology torus4x4 --workload resnet50";
  REQUIRE(StartedMlsim(folder.path().string(), question + " >whole").wait() == 0);
  const std::string whole = text_of(folder.path("whole"));
  for (int closed = 0; closed < 8; ++closed) {
    INFO(closed);
    const std::string streams = std::string(closed & 1 ? " <&-" : " </dev/null") + (closed & 2 ? " >&-" : " >out") +
                                (closed & 4 ? " 2>&-" : " 2>err");
    CHECK(StartedMlsim(folder.path().string(), question + " --output a" + streams).wait() == 0);
    CHECK(text_of(folder.path("a")) == whole);
    const int code = StartedMlsim(folder.path().string(), question + streams).wait();
    CHECK(code == (closed & 2 ? 2 : 0));
    if (!(closed & 2)) CHECK(text_of(folder.path("out")) == whole);
  }
}
