// Help and the version.
#include <algorithm>
#include <regex>
#include <vector>

#include "bad_case.hpp"

namespace {

const std::vector<std::string>& commands() {
  static const std::vector<std::string> all{"predict",   "explain", "compare", "sweep",    "plan",      "diagnose",
                                            "calibrate", "import",  "export",  "topology", "replay",    "validate",
                                            "report",    "list",    "doctor",  "help",     "completion"};
  return all;
}

}  // namespace

TEST_CASE("the version names its commit and the day of it") {
  const std::string said = run_mlsim("--version").out;
  CHECK(std::regex_match(said, std::regex(R"(mlsim \d+\.\d+\.\d+( \([0-9a-z.-]+, \d{4}-\d\d-\d\d\))?\n)")));
  CHECK(run_mlsim("-V").out == said);
  CHECK_THAT(run_mlsim("doctor").out, ContainsSubstring(said.substr(6)));
}

TEST_CASE("every word of --parallelism is in the help, with its short form") {
  for (const char* const command : {"predict", "explain", "sweep", "plan", "compare", "export"}) {
    const std::string said = run_mlsim(std::string("help ") + command).out;
    if (said.find("--parallelism") == std::string::npos) continue;
    for (const char* const word : {"data (dp) ", "expert (ep) ", "tensor (tp) ", "pipeline (pp) ", "context (cp) ",
                                   "micro_batches ", "micro_batch (mbs) ", "interleave (vpp) ", "expert_tensor (etp) "})
      CHECK_THAT(said, ContainsSubstring("\n   " + std::string(word)));
  }
}

TEST_CASE("every exit code is in the help") {
  const std::string said = run_mlsim("--help").out;
  for (const char* const what :
       {"0 done", "1 a negative answer", "2 wrong input", "3 something is missing", "130 Ctrl-C", "143 SIGTERM"})
    CHECK_THAT(said, ContainsSubstring(what));
}

TEST_CASE("help of a command is its --help") {
  for (const auto& command : commands()) {
    const ProgramRun help = run_mlsim("help " + command);
    CHECK(help.code == 0);
    CHECK(help.out.size() > 100);
    CHECK(help.out == run_mlsim(command + " --help").out);
  }
  CHECK(run_mlsim("help").out == run_mlsim("--help").out);
  for (const std::string way : {"published", "trace"}) {
    const std::string said = run_mlsim("help validate " + way).out;
    CHECK(said == run_mlsim("validate " + way + " --help").out);
    CHECK((said.find("--cases") != std::string::npos) == (way == "published"));
  }
  check({{"help validate publishd", "help: unknown command \"publishd\"; did you mean \"published\"?"},
         {"help predct", "help: unknown command \"predct\"; did you mean \"predict\"?"},
         {"help predict explain", "help: takes the name of one command"},
         {"predct", "unknown command \"predct\"; did you mean \"predict\"?"}});
}
