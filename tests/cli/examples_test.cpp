// Every folder under examples/ is a question with its stored answer.
#include <algorithm>
#include <filesystem>
#include <vector>

#include "catch.hpp"
#include "run_mlsim.hpp"

namespace {

std::vector<std::filesystem::path> examples() {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(MLSIM_SOURCE_DIR "/examples")) {
    // That of the Python module is run by its own tests.
    if (entry.is_directory() && entry.path().filename() != "python") folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace

TEST_CASE("every example gives its stored output") {
  const auto folders = examples();
  REQUIRE(folders.size() >= 22);  // seven first questions, and a case for each scaling technique
  const auto start = std::filesystem::current_path();
  for (const auto& folder : folders) {
    INFO(folder);
    CHECK(std::filesystem::exists(folder / "README.md"));
    std::string command = text_of((folder / "command").string());
    REQUIRE(command.starts_with("mlsim "));
    command = command.substr(6, command.find('\n') - 6);
    std::filesystem::current_path(folder);
    const ProgramRun run = run_mlsim(command);
    std::filesystem::current_path(start);
    if (run.code == 3 && run.err.find("was built without") != std::string::npos) continue;
    // A question that is refused says so in `exit_code`, and its answer stands on stderr.
    const std::string code = text_of((folder / "exit_code").string());
    CHECK(run.code == (code.empty() ? 0 : std::stoi(code)));
    CHECK((code.empty() ? run.err : run.out).empty());
    CHECK(run.out + run.err == text_of((folder / "expected.txt").string()));
  }
}
