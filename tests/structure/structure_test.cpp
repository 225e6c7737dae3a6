#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "catch.hpp"
#include "scratch_folder.hpp"
#include "source_tree.hpp"

using namespace mlsim;
using namespace mlsim::test;
namespace fs = std::filesystem;

using Found = std::vector<std::string>;

namespace {

// A tree of its own that goes with the test.
class Tree {
 public:
  Tree& file(const std::string& path, const std::string& text) {
    folder_.file(path, text);
    return *this;
  }
  Found found() const { return breaches(folder_.path()); }

 private:
  ScratchFolder folder_;
};

// In a tree that has core/units.hpp besides.
Found named_in(const std::string& path, const std::string& text) {
  return Tree().file("core/units.hpp", "// The units.\n").file(path, text).found();
}

// The first part of `pattern` in a file of the tree; empty where it is nowhere.
std::string first_in(const std::string& path, const std::string& pattern) {
  const std::string text = text_of(MLSIM_SOURCE_DIR "/" + path);
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

std::string include(const std::string& what) { return "#include \"" + what + "\"\n"; }

}  // namespace

TEST_CASE("the tree keeps its own rules") { CHECK(breaches(MLSIM_SOURCE_DIR) == Found{}); }

TEST_CASE("the newest version of the changelog is the program's, and changed numbers stand before it") {
  const std::string version = first_in("CMakeLists.txt", R"(project\(mlsim VERSION ([\d.]+))");
  CHECK(!version.empty());
  CHECK(first_in("CHANGELOG.md", R"(\n## ([\d.]+) \(\d{4}-\d\d-\d\d\)\n)") == version);
  CHECK(first_in("CHANGELOG.md", "\n## (.*)\n") == "Changed numbers");
}

TEST_CASE("every decision has a number and stands in the index by subject") {
  const std::string text = text_of(MLSIM_SOURCE_DIR "/docs/decisions.md");
  const std::regex decision(R"re(\n(?:<a id="d(\d+)"></a>)?\*\*(\d+)(?:\. \d{4}-|-))re");
  int number = 0;
  for (auto each = std::sregex_iterator(text.begin(), text.end(), decision); each != std::sregex_iterator(); ++each) {
    const std::string next = std::to_string(++number);
    INFO(each->str());
    CHECK(each->str(1) == next);
    CHECK(each->str(2) == next);
    CHECK(text.find("- [" + next + "](#d" + next + ")") != std::string::npos);
  }
  CHECK(number > 100);
}

TEST_CASE("a folder that includes what it may not is found") {
  CHECK(Tree().file("core/a.cpp", include("sim/step/trace.hpp")).found() ==
        Found{"core/a.cpp:1: core/ may not include sim/ (\"sim/step/trace.hpp\")"});
  CHECK(Tree().file("sim/step/a.hpp", "\n  #  include <calibrate/plan.hpp>\n").found() ==
        Found{"sim/step/a.hpp:2: sim/ may not include calibrate/ (\"calibrate/plan.hpp\")"});
  CHECK(Tree().file("validation/x/a.cpp", include("calibrate_files.hpp")).found().size() == 1);
  CHECK(Tree().file("validation/a.cpp", include("reports/renderers/renderers.hpp")).found().size() == 1);
  CHECK(Tree().file("core/a.cpp", include("../core/b.hpp")).found().size() == 1);
  CHECK(Tree()
            .file("cli/a.cpp", include("sim/step/trace.hpp"))
            .file("sim/step/a.cpp", include("core/units.hpp"))
            .found() == Found{});
  CHECK(Tree().file("workloads/a.cpp", include("workloads_files.hpp")).found() == Found{});
}

TEST_CASE("a third party outside its wall is found") {
  CHECK(Tree().file("sim/step/a.cpp", "#include <simgrid/s4u.hpp>\n").found() ==
        Found{"sim/step/a.cpp:1: SimGrid is behind a wall and \"simgrid/s4u.hpp\" does not belong here"});
  CHECK(Tree().file("topologies/a.cpp", "#include <yaml-cpp/yaml.h>\n").found().size() == 1);
  CHECK(Tree().file("reports/a.hpp", "#include <nlohmann/json.hpp>\n").found().size() == 1);
  CHECK(Tree().file("reports/a.cpp", include("core/text/json_reader.hpp")).found().size() == 1);
  CHECK(Tree().file("sim/step/a.cpp", "#include <CLI/CLI.hpp>\n").found().size() == 1);
  CHECK(Tree().file("core/a.hpp", "#include <boost/math/tools/roots.hpp>\n").found().size() == 1);
  CHECK(Tree().file("calibrate/a.cpp", "#include <mpi.h>\n").found().size() == 1);
  CHECK(Tree().file("tests/core/a.cpp", "#include <catch2/catch.hpp>\n").found().size() == 1);
  CHECK(Tree().file("core/a.cpp", "#include <regex>\n").found().size() == 1);
  CHECK(Tree()
            .file("sim/engine/simgrid/a.cpp", "#include <simgrid/s4u.hpp>\n")
            .file("core/text/yaml_tree.cpp", "#include <yaml-cpp/yaml.h>\n")
            .file("reports/a.cpp", "#include <nlohmann/json.hpp>\n")
            .found() == Found{});
}

TEST_CASE("a file longer than 400 lines is found") {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "\n";
  CHECK(Tree().file("core/a.cpp", text).found() == Found{});
  CHECK(Tree().file("core/a.cpp", text + "\n").found() == Found{"core/a.cpp:401: is longer than 400 lines"});
  CHECK(Tree().file("validation/published/a.csv", text + "\n").found() == Found{});
}

TEST_CASE("a path of one machine is found in every text file") {
  const std::string outside = std::string("../sha") + "red/design.md", home = std::string("/ho") + "me/me/data";
  CHECK(Tree().file("README.md", "see " + outside + "\n").found() == Found{"README.md:1: names a path of one machine"});
  CHECK(Tree().file("a.yaml", "path: " + home + "\n").found().size() == 1);
  CHECK(Tree().file("core/a.cpp", "f(\"" + home + "\");\n").found().size() == 1);
  CHECK(Tree().file("dev", "cd " + home + "\n").found().size() == 1);
  CHECK(Tree().file("README.md", "https://example.org" + home + "\n").found() == Found{});
  CHECK(Tree().file("build/a.md", home + "\n").file(".cache/a.md", home + "\n").found() == Found{});
}

TEST_CASE("a task left open is found") {
  CHECK(Tree().file("core/a.cpp", std::string("// TO") + "DO: later\n").found() ==
        Found{"core/a.cpp:1: leaves a task open"});
  CHECK(Tree().file(".ci/run", std::string("# FIX") + "ME\n").found().size() == 1);
}

TEST_CASE("a file that a document or a comment names and that is not there is found") {
  CHECK(named_in("README.md", "See core/units.hpp and\n(`core/unit.hpp`).\n") ==
        Found{"README.md:2: names core/unit.hpp, which is not there"});
  CHECK(named_in("core/a.cpp", std::string("int a;  /") + "/ as core/b.hpp says\n") ==
        Found{"core/a.cpp:1: names core/b.hpp, which is not there"});
  CHECK(named_in("core/data/a.yaml", "# by core/b.hpp\n").size() == 1);
}

TEST_CASE("a source without a folder, or a folder, that a comment names and that is not there is found") {
  const std::string mark = std::string("int a;  /") + "/ ";
  const auto named = [&](const std::string& text) { return named_in("core/rooms/a.cpp", mark + text + "\n"); };
  CHECK(named("see unit.hpp") == Found{"core/rooms/a.cpp:1: names unit.hpp, which is not there"});
  CHECK(named("in core/halls/.") == Found{"core/rooms/a.cpp:1: names core/halls/, which is not there"});
  CHECK(named("one of halls/") == Found{"core/rooms/a.cpp:1: names halls/, which is not there"});
  CHECK(named("rooms/halls/ says") == Found{"core/rooms/a.cpp:1: names rooms/halls/, which is not there"});
  CHECK(named("units.hpp, (a.cpp), core/rooms/ and rooms/; core/*/, rooms/{y,z}/, src/graph/, NVIDIA/nccl, tuning.cu, "
              "and/or") == Found{});
  CHECK(named_in("README.md", "unit.hpp in halls/\n") == Found{});
}

TEST_CASE("what is no name of a file of this project is not looked for") {
  CHECK(named_in("README.md", "build/core/a.json, ./own.yaml, other/a.hpp, core/*.hpp, core/a_{b,c}.hpp") == Found{});
  CHECK(named_in("README.md", "https://example.org/core/a.md; `owner/project`, core/a.md; owner/project, core/a.md") ==
        Found{});
  CHECK(named_in("core/a.cpp", "const char* path = \"core/b.hpp\";\n") == Found{});
}

TEST_CASE("a type that two headers declare is found") {
  CHECK(
      Tree().file("core/a.hpp", "struct Place {\n};\n").file("sim/step/b.hpp", "\nenum class Place { x };\n").found() ==
      Found{"sim/step/b.hpp:2: Place is declared in core/a.hpp too"});
  CHECK(Tree()
            .file("core/a.hpp", "using Place = int;\n")
            .file("tests/b.hpp", "class Place final : public A {\n")
            .found() == Found{"tests/b.hpp:1: Place is declared in core/a.hpp too"});
  CHECK(Tree()
            .file("core/a.hpp", "template <class T>\nstruct Box {\n")
            .file("core/b.hpp", "struct Box {};\n")
            .found()
            .size() == 1);
}

TEST_CASE("a type may be announced, specialised, nested in two, and declared in sources") {
  const std::string place = "struct Place {\n};\n";
  CHECK(Tree().file("core/a.hpp", place).file("core/b.hpp", "struct Place;\n").found() == Found{});
  CHECK(
      Tree().file("core/a.hpp", "template <class T>\n" + place).file("core/b.hpp", "struct Place<int> {};\n").found() ==
      Found{});
  CHECK(Tree().file("core/a.hpp", "  struct Place {};\n").file("core/b.hpp", "  struct Place {};\n").found() ==
        Found{});
  CHECK(Tree().file("core/a.cpp", place).file("core/b.cpp", place).found() == Found{});
}

TEST_CASE("rooms that include one another in a circle are found") {
  Tree tree;
  tree.file("sim/plan/a.hpp", include("sim/step/a.hpp"))
      .file("sim/step/a.hpp", include("sim/fold/a.hpp"))
      .file("sim/speed/a.hpp", include("sim/plan/a.hpp"));
  CHECK(tree.found() == Found{});
  CHECK(tree.file("sim/fold/b.cpp", include("sim/plan/a.hpp")).found() ==
        Found{"sim/fold: includes in a circle: sim/fold, sim/plan, sim/step"});
  CHECK(Tree().file("core/a.hpp", include("core/x/a.hpp")).file("core/x/a.hpp", include("core/b.hpp")).found() ==
        Found{"core/.: includes in a circle: core/., core/x"});
  CHECK(Tree().file("tests/a.cpp", include("tests/x/a.hpp")).file("tests/x/a.hpp", include("tests/a.hpp")).found() ==
        Found{});
}

TEST_CASE("code that stands loose in sim is found") {
  CHECK(Tree().file("sim/a.cpp", "\n").found() == Found{"sim/a.cpp:1: stands loose in sim/"});
  CHECK(Tree().file("sim/namespace.hpp", "\n").file("sim/README.md", "\n").file("core/a.cpp", "\n").found() == Found{});
}
