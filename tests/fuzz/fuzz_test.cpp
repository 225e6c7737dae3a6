// Every reader takes its seeds, what was found, and its seeds damaged: the part of the fuzzing that needs no clang.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "fuzzed_reader.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using namespace mlsim::test;
namespace fs = std::filesystem;

namespace {

const fs::path kRoot = MLSIM_SOURCE_DIR;

// Of "examples/own-machine/*.yaml", or the file itself.
std::vector<fs::path> matching(const std::string& pattern) {
  const fs::path path = kRoot / pattern;
  if (path.stem() != "*") return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path.parent_path()))
    if (entry.path().extension() == path.extension()) files.push_back(entry.path());
  return files;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

std::vector<fs::path> seeds_of(const std::string& reader) {
  std::vector<fs::path> seeds = files_in(kRoot / "tests/fuzz/seeds" / reader);
  std::ifstream list(kRoot / "tests/fuzz/seeds.txt");
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string name, pattern;
    if (words >> name >> pattern && name == reader)
      for (const fs::path& path : matching(pattern)) seeds.push_back(path);
  }
  return seeds;
}

std::size_t read_whole(const FuzzedReader& reader) {
  std::size_t whole = 0;
  for (const fs::path& path : seeds_of(reader.name)) {
    try {
      reader.read(text_of(path.string()));
      ++whole;
    } catch (const InputError& e) {
      UNSCOPED_INFO(path.string() << ": " << e.what());
    }
  }
  return whole;
}

constexpr std::size_t kDamages = 60;

}  // namespace

TEST_CASE("every reader has a seed that it reads") {
  for (const FuzzedReader& reader : fuzzed_readers()) {
    INFO(reader.name);
    CHECK(read_whole(reader) > 0);
  }
}

TEST_CASE("every reader takes what fuzzing found") {
  for (const FuzzedReader& reader : fuzzed_readers()) {
    for (const fs::path& path : files_in(kRoot / "tests/fuzz/found" / reader.name)) {
      INFO(path.string());
      CHECK(complaint(reader, text_of(path.string())) == "");
    }
  }
}

TEST_CASE("every reader takes its seeds cut anywhere and with a byte changed anywhere") {
  for (const FuzzedReader& reader : fuzzed_readers()) {
    for (const fs::path& path : seeds_of(reader.name)) {
      const std::string whole = text_of(path.string());
      for (std::size_t i = 0; i < kDamages; ++i) {
        const std::size_t at = i * whole.size() / kDamages;
        INFO(path.string() << ", byte " << at);
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ (1 << i % 8));
        CHECK(complaint(reader, whole.substr(0, at)) == "");
        CHECK(complaint(reader, changed) == "");
      }
    }
  }
}

TEST_CASE("a reader that throws anything else, or says it in a library's words, is complained of") {
  const auto complaint_of = [](void (*read)(const std::string&)) { return complaint({"reader", read}, ""); };
  CHECK(complaint_of([](const std::string&) {}) == "");
  CHECK(complaint_of([](const std::string&) { throw InputError("a.yaml:3", "is empty"); }) == "");
  CHECK(complaint_of([](const std::string&) { throw std::runtime_error("is empty"); }) != "");
  CHECK(complaint_of([](const std::string&) { throw InputError(""); }) != "");
  CHECK(complaint_of([](const std::string&) { throw InputError("[json.exception.101] parse error"); }) != "");
  CHECK(complaint_of([](const std::string&) { throw InputError(std::string(2000, 'y')); }) != "");
}
