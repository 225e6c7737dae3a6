#include "source_tree.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <utility>

#include "named_paths.hpp"
#include "rooms.hpp"
#include "tree_file.hpp"
#include "type_names.hpp"

namespace mlsim::test {
namespace {

constexpr std::size_t kLongestFile = 400;

using Names = std::set<std::string>;

// Folder -> folders it may include besides itself.
const std::map<std::string, Names>& folders() {
  static const std::map<std::string, Names> table{
      {"core", {}},
      {"costs", {"core"}},
      {"topologies", {"core"}},
      {"workloads", {"core", "costs"}},
      {"kernels", {"core", "costs"}},
      {"calibrate", {"core", "costs", "kernels", "workloads"}},
      {"sim", {"core", "costs", "topologies", "workloads"}},
      {"validation", {"core", "sim", "topologies", "workloads"}},
      {"studies", {"core", "sim", "topologies", "validation", "workloads"}},
      {"replay", {"core", "calibrate", "costs", "kernels", "sim", "topologies", "validation", "workloads"}},
      {"interop", {"core", "costs", "topologies", "workloads", "sim"}},
      {"reports",
       {"core", "costs", "topologies", "workloads", "calibrate", "interop", "replay", "sim", "studies", "validation"}},
      {"cli",
       {"core", "costs", "topologies", "workloads", "kernels", "calibrate", "interop", "replay", "sim", "studies",
        "reports", "validation"}},
      {"python", {"core", "studies", "cli"}},
      {"bench", {"core", "topologies", "workloads", "calibrate", "sim", "validation"}},
      {"tests",
       {"core", "costs", "topologies", "workloads", "kernels", "calibrate", "interop", "replay", "sim", "studies",
        "reports", "validation", "cli"}}};
  return table;
}

// A third party: includes that match `include` may stand only in files that match `files`.
struct Wall {
  std::string name;
  std::regex include, files;
};

const std::vector<Wall>& walls() {
  static const std::vector<Wall> table{
      {"yaml-cpp", std::regex("yaml-cpp/.*"), std::regex("core/text/yaml_tree\\.cpp")},
      {"nlohmann/json", std::regex("nlohmann/.*"), std::regex(".*\\.cpp|core/text/json_(reader|writer)\\.hpp")},
      {"core's JSON classes",
       std::regex("core/[a-z]+/(json_reader|(next_measurement|statement|statistics)_json)\\.hpp"),
       std::regex("core/.*\\.cpp|core/[a-z]+/(json_.*|(next_measurement|statistics)_json)\\.hpp")},
      {"writers of JSON", std::regex("core/[a-z]+/(json_(schema_)?writer|provenance_json)\\.hpp"),
       std::regex(".*\\.cpp|core/[a-z]+/json_.*\\.hpp")},
      {"SimGrid", std::regex("(simgrid|xbt|smpi)/.*"), std::regex("sim/engine/simgrid/.*")},
      {"SQLite", std::regex("sqlite3\\.h"),
       std::regex("studies/sweep/database\\.cpp|replay/trace/nsys_table\\.cpp|tests/replay/toy_nsys\\.hpp")},
      {"protobuf", std::regex("google/protobuf/.*|.*\\.pb\\.h"), std::regex("interop/chakra/protobuf/.*")},
      {"pybind11", std::regex("pybind11/.*"), std::regex("python/.*")},
      {"CLI11", std::regex("CLI/.*"), std::regex("cli/.*")},
      {"Boost", std::regex("boost/.*"), std::regex("(?!core/|reports/).*")},
      {"CUDA", std::regex("cuda.*|cublas.*|cudnn.*|nvml.*"),
       std::regex("kernels/cuda/.*|calibrate/collectives/communicator_nccl.*")},
      {"MPI, Gloo and NCCL", std::regex("mpi\\.h|gloo/.*|nccl\\.h"),
       std::regex("calibrate/collectives/communicator_.*")},
      {"oneDNN and BLAS", std::regex("(oneapi/dnnl/|dnnl|cblas|openblas).*"), std::regex("kernels/cpu/.*")},
      {"hwloc", std::regex("hwloc.*"), std::regex("calibrate/environment_hwloc\\.cpp|topologies/import/hwloc.*")},
      {"pugixml", std::regex("pugixml.*"), std::regex("topologies/import/.*\\.cpp")},
      // It recurses for each character, so that a long line overflows the stack.
      {"std::regex", std::regex("regex"), std::regex("tests/.*")},
      {"libutf8proc", std::regex("utf8proc\\.h"), std::regex("core/text/code_point\\.cpp")},
      {"NLopt", std::regex("nlopt.*"), std::regex("calibrate/fit/.*\\.cpp")},
      {"Catch2", std::regex("catch2/.*"), std::regex("tests/catch(_main)?\\..*")},
      {"the other test libraries", std::regex("(valijson|rapidcheck|benchmark)[/.].*"), std::regex("tests/.*")}};
  return table;
}

bool is_code(const std::string& path) {
  static const std::regex code(R"(.*\.(cpp|hpp|h|cu|cuh|cmake|sh)|(.*/)?CMakeLists\.txt|dev|\.ci/run)");
  return std::regex_match(path, code);
}

// "core" of "core/units.hpp"; "topologies" of its generated header; "" of anything else.
std::string folder_of(const std::string& path) {
  static const std::regex generated("(\\w+)_files\\.hpp");
  std::smatch match;
  if (std::regex_match(path, match, generated)) return folders().count(match[1]) > 0 ? match[1].str() : "";
  const std::string first = path.substr(0, path.find('/'));
  return first != path && folders().count(first) > 0 ? first : "";
}

// What is wrong with `include` in the file `path`; "" where nothing is.
std::string include_breach(const std::string& path, const std::string& include) {
  if (include.starts_with("../")) return fmt::format("\"{}\" is not named from the root of the tree", include);
  const std::string from = folder_of(path), to = folder_of(include);
  if (!from.empty() && !to.empty() && from != to && folders().at(from).count(to) == 0) {
    return fmt::format("{}/ may not include {}/ (\"{}\")", from, to, include);
  }
  for (const auto& wall : walls()) {
    if (std::regex_match(include, wall.include) && !std::regex_match(path, wall.files)) {
      return fmt::format("{} is behind a wall and \"{}\" does not belong here", wall.name, include);
    }
  }
  return {};
}

// A regular expression that is tried on lines with one of `words` alone: on every line it takes ten times as long.
struct LinePattern {
  std::vector<std::string> words;
  std::regex pattern;

  bool is_in(const std::string& line) const {
    const auto stands = [&](const std::string& word) { return line.find(word) != std::string::npos; };
    return std::any_of(words.begin(), words.end(), stands) && std::regex_search(line, pattern);
  }
};

// Spelled in halves, so that this file passes its own check.
const LinePattern& open_task() {
  static const std::vector<std::string> words{std::string("TO") + "DO", std::string("FIX") + "ME",
                                              std::string("XX") + "X"};
  static const LinePattern task{words, std::regex(fmt::format("\\b({})\\b", fmt::join(words, "|")))};
  return task;
}
const LinePattern& machine_path() {
  static const LinePattern path{{std::string("/wo") + "rk/", std::string("/ho") + "me/", std::string("/ro") + "ot/",
                                 std::string("/Us") + "ers/", std::string("/sha") + "red"},
                                std::regex(std::string(R"((^|[\s"'`(=:]))") + "(/(wo" + "rk|ho" + "me|ro" + "ot|Us" +
                                           "ers)/|(\\.\\./)+sha" + "red\\b)")};
  return path;
}

std::string line_breach(const TreeFile& file, bool code, const std::string& line) {
  if (machine_path().is_in(line)) return "names a path of one machine";
  if (!code) return {};
  if (open_task().is_in(line)) return "leaves a task open";
  const std::string include = included(line);
  return include.empty() ? "" : include_breach(file.path, include);
}

}  // namespace

std::vector<std::string> breaches(const std::filesystem::path& root) {
  const auto files = tree_files(root);
  std::vector<std::string> found;
  for (const auto& rule : {absent_paths, repeated_types, room_breaches})
    for (std::string& breach : rule(files)) found.push_back(std::move(breach));
  for (const auto& file : files) {
    const bool code = is_code(file.path);
    if (code && file.lines.size() > kLongestFile) {
      found.push_back(fmt::format("{}:{}: is longer than {} lines", file.path, file.lines.size(), kLongestFile));
    }
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string wrong = line_breach(file, code, file.lines[i]);
      if (!wrong.empty()) found.push_back(fmt::format("{}:{}: {}", file.path, i + 1, wrong));
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace mlsim::test
