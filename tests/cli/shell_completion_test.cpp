// Words that the shell completes: what mlsim says may follow, and real shells that ask it.
#include <algorithm>
#include <sstream>
#include <vector>

#include "bad_case.hpp"

namespace {

using Lines = std::vector<std::string>;

Lines split_lines(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The words without their descriptions; `typed` as a shell would pass it on, "predict --format ''".
Lines candidates(const std::string& typed, const std::string& environment = "") {
  const ProgramRun run = run_mlsim("complete " + typed, environment);
  CHECK(run.code == 0);
  Lines words;
  for (const auto& line : split_lines(run.out)) words.push_back(line.substr(0, line.find('\t')));
  return words;
}

bool among(const std::string& word, const Lines& lines) {
  return std::find(lines.begin(), lines.end(), word) != lines.end();
}

bool is_installed(const std::string& shell) {
  const bool there = std::system(("command -v " + shell + " >/dev/null 2>&1").c_str()) == 0;
  if (!there) WARN(shell + " is not installed: its completion is not run");
  return there;
}

// What `shell` prints that runs `script` and sees the program as mlsim.
std::string printed(const std::string& shell, const std::string& script) {
  const ScratchFolder folder;
  const std::string file = folder.file("script", script);
  std::filesystem::create_symlink(MLSIM_PROGRAM, folder.path("mlsim"));
  const std::string command = "PATH='" + folder.path().string() + "':$PATH timeout 60 " + shell + " '" + file + "' >'" +
                              folder.path("out") + "' 2>&1";
  CHECK(std::system(command.c_str()) == 0);
  return text_of(folder.path("out"));
}

Lines completed_by_bash(const std::string& line) {
  return split_lines(printed("bash",
                             "source <(mlsim completion bash)\n"
                             "COMP_LINE='" +
                                 line + "' COMP_POINT=" + std::to_string(line.size()) +
                                 "\n"
                                 "_mlsim\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n"));
}

Lines completed_by_fish(const std::string& line) {
  return split_lines(printed("fish", "mlsim completion fish | source\ncomplete -C '" + line + "'\n"));
}

}  // namespace

TEST_CASE("commands, options, systems, models and settings complete") {
  CHECK(candidates("pre") == Lines{"predict"});
  CHECK(among("sweep", candidates("''")));
  CHECK(!among("complete", candidates("''")));
  CHECK(candidates("predict --global") == Lines{"--global-batch"});
  CHECK(candidates("predict --topology torus128") == Lines{"torus128x32", ":files"});
  CHECK(candidates("predict --topology=torus128") == Lines{"--topology=torus128x32", ":files"});
  CHECK(candidates("explain --workload bert-large-1") == Lines{"bert-large-128", ":files"});
  CHECK(candidates("predict --set pric") == Lines{"price=", "price_date=", "price_region="});
  CHECK(candidates("predict --set price=") == Lines{"price=on-demand", "price=preemptible"});
  CHECK(candidates("predict --set=price=o") == Lines{"--set=price=on-demand"});
  CHECK(candidates("predict --set price=on-demand data=r") == Lines{"data=real"});
  CHECK(candidates("predict --set price=on-demand --prof") == Lines{"--profile"});
  CHECK(candidates("predict --profile ''") == Lines{":files"});
  CHECK(candidates("report ''") == Lines{":files"});
  CHECK(candidates("predict --accelerators ''").empty());
  CHECK(candidates("predict ''").empty());
  CHECK(candidates("nonsense ''").empty());
  CHECK(among("v100-sxm2-16gb", candidates("list --accelerator v100")));
  CHECK(among("aws", candidates("list --cloud ''")));
  CHECK(among("dgx-a100", candidates("compare ''")));
  CHECK(among("dgx-h100", candidates("import --complete-on dgx")));
  CHECK(candidates("topology --device c") == Lines{"cpu", "cuda"});
  CHECK(candidates("help expl") == Lines{"explain"});
  CHECK(candidates("help expl") == Lines{"explain"});
  CHECK(candidates("completion ''") == Lines{"bash", "zsh", "fish"});
  CHECK(candidates("validate p") == Lines{"published"});
  CHECK(candidates("validate trace --r") == Lines{"--ranks"});
  CHECK(candidates("validate convergence --cases").empty());
  CHECK(candidates("validate transfer --format ''") == Lines{"text", "json"});
}

TEST_CASE("of a sweep's lists the last value completes") {
  CHECK(candidates("sweep --topology dgx-a100,torus128") == Lines{"dgx-a100,torus128x32", ":files"});
  CHECK(candidates("sweep --set price=on-demand,p") == Lines{"price=on-demand,preemptible"});
  CHECK(candidates("predict --topology dgx-a100,torus128") == Lines{":files"});
}

TEST_CASE("axes complete one behind the other") {
  CHECK(candidates("predict --parallelism cont") == Lines{"context="});
  CHECK(candidates("predict --parallelism tensor=8,exp") == Lines{"tensor=8,expert=", "tensor=8,expert_tensor="});
  CHECK(candidates("predict --parallelism au") == Lines{"auto"});
  CHECK(candidates("replay --parallelism ''") == Lines{"data=", "pipeline="});
}

TEST_CASE("settings of the job do not complete for a step") {
  CHECK(candidates("explain --set price_reg").empty());
  CHECK(candidates("explain --set recomp") == Lines{"recompute="});
}

TEST_CASE("machines of a project complete, and a broken project spoils nothing") {
  const ScratchFolder folder;
  folder.file("machines/our-box.yaml",
              "name: our-box\naccelerator: v100-sxm2-16gb\nnode:\n  accelerators: 4\n  interconnect: pcie\n"
              "  pcie: {bandwidth: 12 GB/s, latency: 1 us}\n");
  CHECK(candidates("predict --topology our", "MLSIM_TOPOLOGIES='" + folder.path("machines") + "' ") ==
        Lines{"our-box", ":files"});
  CHECK(candidates("predict --topology torus128", "MLSIM_TOPOLOGIES='" + folder.path("missing") + "' ") ==
        Lines{"torus128x32", ":files"});
}

TEST_CASE("every format, list and table that completes is one that its command takes") {
  for (const std::string command : {"predict", "explain", "compare", "plan", "sweep",
                                    "validate published --cases missing.csv", "report missing.json"}) {
    const auto formats = candidates(command + " --format ''");
    CHECK(formats.size() >= 2);
    for (const auto& format : formats) {
      INFO(command << " " << format);
      CHECK_THAT(run_mlsim(command + " --format " + format).err, !ContainsSubstring("--format"));
      CHECK_THAT(run_mlsim(command + " --format " + format + "x").err, ContainsSubstring("--format"));
    }
  }
  const auto lists = candidates("list ''");
  CHECK(lists.size() == 7);
  for (const auto& list : lists) CHECK(run_mlsim("list " + list).code == 0);
  for (const auto& what : candidates("validate ''"))
    CHECK_THAT(run_mlsim("validate " + what + " --format none").err, ContainsSubstring("--format"));
}

TEST_CASE("bash completes words with equals signs and colons in them") {
  CHECK(completed_by_bash("mlsim expl") == Lines{"explain"});
  CHECK(completed_by_bash("mlsim predict --topology torus128") == Lines{"torus128x32"});
  CHECK(completed_by_bash("mlsim predict --topology=torus128") == Lines{"torus128x32"});
  CHECK(completed_by_bash("mlsim predict --set price=") == Lines{"on-demand", "preemptible"});
  CHECK(completed_by_bash("mlsim predict --set=price=on") == Lines{"on-demand"});
  CHECK(completed_by_bash("mlsim completion ") == Lines{"bash", "zsh", "fish"});
}

TEST_CASE("fish completes and shows what a word means") {
  if (!is_installed("fish")) return;
  CHECK(printed("fish -n", run_mlsim("completion fish").out).empty());
  CHECK(completed_by_fish("mlsim expl").front().starts_with("explain\tWhy a step takes as long"));
  CHECK(completed_by_fish("mlsim predict --set price=") == Lines{"price=on-demand", "price=preemptible"});
  CHECK(completed_by_fish("mlsim completion ").size() == 3);
}

TEST_CASE("the script of zsh is one that zsh reads") {
  if (!is_installed("zsh")) return;
  CHECK(printed("zsh -n", run_mlsim("completion zsh").out).empty());
  CHECK(printed("zsh -f",
                "autoload -U compinit && compinit -D -u\nsource <(mlsim completion zsh)\n"
                "print ${_comps[mlsim]}\n") == "_mlsim\n");
}

TEST_CASE("a shell that has no completion is refused") {
  check(BadCase{"completion", "completion needs to know the shell: bash, fish, zsh"});
  check(BadCase{"completion fihs", "did you mean \"fish\"?"});
}
