// Help, manual pages and the version.
#include <algorithm>
#include <regex>
#include <vector>

#include "bad_case.hpp"

namespace {

const std::vector<std::string>& commands() {
  static const std::vector<std::string> all{"predict",   "explain", "compare", "sweep",    "plan",   "diagnose",
                                            "calibrate", "import",  "export",  "topology", "replay", "validate",
                                            "report",    "list",    "doctor",  "help",     "man",    "completion"};
  return all;
}

// The long options that a help shows.
std::vector<std::string> options_in(const std::string& help) {
  static const std::regex pattern("\n  (?:-\\w,)?(--[a-z-]+)");
  std::vector<std::string> found;
  for (std::sregex_iterator at(help.begin(), help.end(), pattern); at != std::sregex_iterator(); ++at)
    found.push_back((*at)[1]);
  return found;
}

std::string without_escapes(std::string page) {
  page = std::regex_replace(page, std::regex(R"(\\f[BIR]|\\&)"), "");
  return std::regex_replace(page, std::regex(R"(\\-)"), "-");
}

}  // namespace

TEST_CASE("the version names its commit and the day of it") {
  const std::string said = run_mlsim("--version").out;
  CHECK(std::regex_match(said, std::regex(R"(mlsim \d+\.\d+\.\d+( \([0-9a-z.-]+, \d{4}-\d\d-\d\d\))?\n)")));
  CHECK(run_mlsim("-V").out == said);
  CHECK_THAT(run_mlsim("doctor").out, ContainsSubstring(said.substr(6)));
}

TEST_CASE("every exit code is in the help and in the manual page") {
  for (const char* const words : {"--help", "man"}) {
    const std::string said = without_escapes(run_mlsim(words).out);
    for (const char* const what :
         {"0 done", "1 a negative answer", "2 wrong input", "3 something is missing", "130 Ctrl-C", "143 SIGTERM"})
      CHECK_THAT(said, ContainsSubstring(what));
  }
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

TEST_CASE("the manual page of a command has every option and setting of its help") {
  for (const auto& command : commands()) {
    INFO(command);
    const std::string page = without_escapes(run_mlsim("man " + command).out);
    CHECK_THAT(page, ContainsSubstring(".TH \"mlsim-" + command + "\" 1 "));
    for (const auto& option : options_in(run_mlsim("help " + command).out))
      CHECK_THAT(page, ContainsSubstring("\n" + option) || ContainsSubstring(", " + option));
  }
  const std::string validate = without_escapes(run_mlsim("man validate").out);
  for (const std::string way : {"published", "trace", "replay"}) {
    CHECK_THAT(validate, ContainsSubstring("\nmlsim validate " + way + " [OPTION]..."));
    for (const auto& option : options_in(run_mlsim("help validate " + way).out))
      CHECK_THAT(validate, ContainsSubstring("\n" + option) || ContainsSubstring(", " + option));
  }
  const std::string predict = without_escapes(run_mlsim("man predict").out);
  CHECK_THAT(predict, ContainsSubstring("\nprice=on-demand | preemptible\n"));
  CHECK_THAT(predict,
             ContainsSubstring("\nmlsim predict --topology") || ContainsSubstring("\n  mlsim predict --topology"));
  CHECK_THAT(without_escapes(run_mlsim("man explain").out), !ContainsSubstring("\nprice="));
  check({{"man predct", "man: unknown command \"predct\"; did you mean \"predict\"?"},
         {"man --folder missing-folder", "--folder: \"missing-folder\" is no folder"},
         {"man predict --folder .", "--folder: takes all pages"}});
}

TEST_CASE("all manual pages are written at once, and groff has nothing to say against them") {
  const ScratchFolder folder;
  REQUIRE(run_mlsim("man --folder '" + folder.path().string() + "'").code == 0);
  CHECK(folder.entries() == commands().size() + 1);
  const std::string program = text_of(folder.path("mlsim.1"));
  for (const auto& command : commands()) {
    CHECK_THAT(without_escapes(program), ContainsSubstring("\nmlsim-" + command + "(1)\n"));
    CHECK(text_of(folder.path("mlsim-" + command + ".1")) == run_mlsim("man " + command).out);
  }
  if (std::system("command -v groff >/dev/null && command -v preconv >/dev/null") != 0) {
    WARN("groff is not installed: the pages are not set");
    return;
  }
  const std::string said = folder.path("said");
  CHECK(std::system(("for page in '" + folder.path().string() +
                     "'/*.1; do groff -man -ww -Tutf8 -k \"$page\" >/dev/null 2>>'" + said + "' || exit 1; done")
                        .c_str()) == 0);
  CHECK(text_of(said).empty());
}
