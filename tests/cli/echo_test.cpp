// What files and command lines hold never reaches the terminal raw: one line, no escapes, no broken bytes, no end.
#include "bad_case.hpp"
#include "catch.hpp"
#include "run_mlsim.hpp"
#include "scratch_folder.hpp"

namespace {

// What a shell makes of "\xff\e[31m" and an end of line.
const std::string kRaw = "$(printf 'x\\377\\033[31m\\nz')";

void check_shown(const std::string& arguments) {
  INFO(arguments);
  const ProgramRun run = run_mlsim(arguments);
  CHECK(run.code == 2);
  CHECK(run.out.empty());
  CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
  CHECK(run.err.size() < 3000);
  const auto raw = [](char c) {
    return c != '\n' && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\xff');
  };
  CHECK(std::none_of(run.err.begin(), run.err.end(), raw));
}

}  // namespace

TEST_CASE("words of a command line that are no words are shown as numbers, on one line") {
  for (const std::string option : {"--topology", "--workload", "--precision", "--set", "--parallelism", "--fidelity",
                                   "--batch-per-accelerator", "--profile", "--prices", "--price", "--seed"})
    check_shown("predict --topology dgx-a100 --workload resnet50 " + option + " \"" + kRaw + "\"");
  for (const std::string command : {"", "list ", "import ", "import trace ", "topology --hwloc ", "topology --nccl ",
                                    "report ", "predict --", "validate ", "compare a "})
    check_shown(command + "\"" + kRaw + "\"");
}

TEST_CASE("files with escapes, broken bytes and words without end are refused in a sentence") {
  const ScratchFolder folder;
  const std::string raw = "x\xff\x1b[31m", escape = "x\x1b[31m", endless(100000, 'y');
  const std::string table =
      "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong\n";
  for (const std::string& word : {raw, escape, endless}) {
    const std::string yaml = folder.file("a.yaml", "name: \"" + word + "\"\n" + word + ": 1\n");
    check_shown("predict --topology " + yaml + " --workload resnet50");
    check_shown("predict --topology dgx-a100 --workload " + yaml);
    check_shown("predict --topology dgx-a100 --workload resnet50 --prices " + yaml);
    const std::string json = folder.file("a.json", "{\"schema_version\": 2, \"accelerator\": \"" + word + "\"}");
    check_shown("predict --topology dgx-a100 --workload resnet50 --profile " + json);
    const std::string open = folder.file("b.json", "{\"" + word + "\": \"" + word);
    check_shown("predict --topology dgx-a100 --workload resnet50 --profile " + open);
    const std::string csv = folder.file("a.csv", "id," + word + "\n1," + word + "\n");
    check_shown("validate published --cases " + csv);
    check_shown("import " + folder.file("a.log", table + word + "\n") + " --accelerator a --output " +
                folder.path("o.json"));
    check_shown("import " + folder.file("b.log", table + "8 " + word + " float sum -1 1 1 1 0 1 1 1 0\n") +
                " --accelerator a --output " + folder.path("o.json"));
    check_shown("import " + folder.file("c.log", "# OSU MPI " + word + " Test\n") +
                ":nodes=2,ranks_per_node=1 --accelerator a --output " + folder.path("o.json"));
    check_shown("import " + folder.file("d.log", "{\"config\": {\"" + word + "\": 1}") + " --accelerator a --output " +
                folder.path("o.json"));
    check_shown("topology --nccl " +
                folder.file("a.xml", "<system><cpu><pci><gpu dev=\"" + word + "\" sm=\"80\"/></pci></cpu></system>"));
    check_shown("topology --nccl " + folder.file("b.xml", "<" + word + "/>"));
    check_shown("predict --topology dgx-a100 --workload resnet50 --set jitter=samples:" +
                folder.file("jitter.txt", word + "\n"));
  }
  CHECK_FALSE(std::filesystem::exists(folder.path("o.json")));
}

TEST_CASE("a broken file of hwloc is refused in a sentence of mlsim's own") {
  const ScratchFolder folder;
  const std::string head =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n";
  for (const std::string body :
       {"", "<object type=\"Machine\" os_index=\"0\" cpuset=\"0x1\">", "<object type=\"x\\e\"/>",
        "<object type=\"Machine\" os_index=\"2000000000\"/></topology>",
        "<object type=\"Machine\"><object type=\"Core\"/></object></topology>"}) {
    const std::string file = folder.file("a.xml", head + body);
    const ProgramRun run = run_mlsim("topology --hwloc " + file);
    INFO(body << "\n" << run.err);
    if (run.code == 3) return;  // a build without hwloc
    check_shown("topology --hwloc " + file);
    CHECK_THAT(run.err, ContainsSubstring("a.xml"));
  }
}

TEST_CASE("names with escapes are refused before a profile holds them, and a log's own name is shown") {
  const ScratchFolder folder;
  const std::string log = std::string(MLSIM_SOURCE_DIR) + "/examples/import-nccl-tests/dgx-a100-2-nodes.txt";
  const std::string output = folder.path("o.json");
  check_shown("import " + log + " --accelerator \"" + kRaw + "\" --output " + output);
  check_shown("import " + log + ":machine=\"" + kRaw + "\" --accelerator a --output " + output);
  check_shown("calibrate --quick --accelerator \"" + kRaw + "\" --output " + output);
  CHECK_FALSE(std::filesystem::exists(output));
  const std::string odd = folder.path("log\x1b[31m");
  std::filesystem::copy_file(log, odd);
  REQUIRE(run_mlsim("import '" + odd + "' --accelerator a100-sxm4-40gb --output " + output).code == 0);
  CHECK(run_mlsim("list profiles --profile " + output).code == 0);
}
