// Outputs that are inputs or one another, and streams that cannot be written.
#include <filesystem>
#include <fstream>

#include "bad_case.hpp"

namespace fs = std::filesystem;

namespace {

// A folder with a small model, a machine file, a table of cases and a trace's name.
struct Inputs {
  ScratchFolder folder;
  std::string model = file("model.yaml",
                           "name: small\nsample: image\ninput: {channels: 3, height: 8, width: 8}\nlayers:\n"
                           "  - {layer: conv, channels: 8, kernel: 3, name: c}\n");
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder.path(name)) << text;
    return folder.path(name);
  }
};

}  // namespace

TEST_CASE("no output replaces an input, whatever it is called") {
  Inputs in;
  const std::string before = text_of(in.model), link = in.folder.path("link.yaml"), hard = in.folder.path("hard.yaml");
  fs::create_symlink(in.model, link);
  fs::create_hard_link(in.model, hard);
  const std::string ask = "predict --topology dgx1-v100 --workload " + in.model + " ";
  for (const std::string& name :
       {in.model, link, hard,
        in.folder.path("./../" + fs::path(in.folder.path()).filename().string() + "/model.yaml")}) {
    for (const char* option : {"--output ", "--trace "})
      check({ask + option + name, "is read by --workload; name another file"});
  }
  check({"sweep --topology dgx1-v100 --workload resnet50," + in.model + " --output " + in.model,
         "is read by --workload"});
  check({"import " + in.model + ":gpus_per_node=8 --output " + in.model, "is read by FILE"});
  check({"validate published --cases " + in.model + " --output " + in.model, "is read by --cases"});
  check({"report " + in.model + " --output " + in.model, "is read by RESULT"});
  check({"predict --topology dgx1-v100 --workload resnet50 --set jitter=samples:" + in.model + " --output " + in.model,
         "is read by --set"});
  CHECK(text_of(in.model) == before);
}

TEST_CASE("no output replaces another one") {
  const ScratchFolder folder;
  const std::string ask = "predict --topology dgx1-v100 --workload resnet50 ", page = folder.path("p.html");
  check({ask + "--trace " + page + " --output " + page, "is written by"});
  check({ask + "--report " + page + " --output " + page, "is written by"});
  check({ask + "--trace -", "--trace: cannot go to stdout"});
  CHECK(folder.entries() == 0);
}

TEST_CASE("an error that cannot be said has its exit code all the same") {
  for (const char* const nowhere : {"2>&-", "2>/dev/full"}) {
    CAPTURE(nowhere);
    const ProgramRun run = run_mlsim(std::string("predict --topology nosuch --workload resnet50 ") + nowhere + " #");
    CHECK(run.code == 2);
  }
}

TEST_CASE("an answer to a closed stdout is an error, one to a file is not") {
  const ScratchFolder folder;
  const std::string ask = "predict --topology dgx1-v100 --workload resnet50 ", file = folder.path("o.json");
  CHECK(run_mlsim(ask + ">&- #").code == 2);
  CHECK(run_mlsim(ask + "--format json --output " + file + " <&- >&- 2>&- #").code == 0);
  CHECK(text_of(file).starts_with("{"));
}

TEST_CASE("words that are near to nothing are not guessed at") {
  check(BadCase{"predict --topology zzzzzz --workload resnet50", "`mlsim list` shows the catalogues"});
  check(BadCase{"list --what", "unknown option \"--what\""});
  CHECK(run_mlsim("list --what").err.find("did you mean \"--what\"") == std::string::npos);
}

TEST_CASE("rates of links are read in bits as data sheets write them") {
  const auto answer = [](const std::string& rate) {
    return run_mlsim("predict --topology tpu-v2-pod:slice=4x4:link_bandwidth=" + rate +
                     " --workload resnet50 --format json");
  };
  const ProgramRun plain = answer("400Gbit/s");
  REQUIRE(plain.code == 0);
  CHECK(answer("50GB/s").code == 0);
  for (const char* const rate : {"400Gbps", "400Gb/s"}) CHECK(answer(rate).code == 0);
}
