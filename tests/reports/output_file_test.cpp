#include "reports/output_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "core/errors.hpp"

using namespace mlsim;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

// A folder of its own that goes with the test.
struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "mlsim-output-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("a file is written whole and nothing beside it") {
  const Folder folder;
  const std::string big(3'000'000, 'x');
  write_file(folder.file("a.json"), big);
  CHECK(content(folder.file("a.json")) == big);
  write_file(folder.file("a.json"), "new");
  CHECK(content(folder.file("a.json")) == "new");
  CHECK(folder.count() == 1);
}

TEST_CASE("a name without a folder is in the working folder") {
  const Folder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path);
  write_file("plain.txt", "x");
  fs::current_path(before);
  CHECK(content(folder.file("plain.txt")) == "x");
}

TEST_CASE("a file that was there keeps its mode, a new one follows the umask") {
  const Folder folder;
  write_file(folder.file("a"), "1");
  const ::mode_t mask = ::umask(0);
  ::umask(mask);
  CHECK(static_cast<unsigned>(fs::status(folder.file("a")).permissions()) == (0666U & ~static_cast<unsigned>(mask)));
  REQUIRE(::chmod(folder.file("a").c_str(), 0640) == 0);
  write_file(folder.file("a"), "2");
  CHECK(static_cast<unsigned>(fs::status(folder.file("a")).permissions()) == 0640U);
}

TEST_CASE("a symbolic link stays a link") {
  const Folder folder;
  write_file(folder.file("real"), "old");
  fs::create_symlink("real", folder.path / "link");
  write_file(folder.file("link"), "new");
  CHECK(fs::is_symlink(folder.path / "link"));
  CHECK(content(folder.file("real")) == "new");
}

TEST_CASE("what cannot be written is refused with its name and the reason") {
  const Folder folder;
  write_file(folder.file("file"), "kept");
  CHECK_THROWS_AS(write_file("", "x"), InputError);
  CHECK_THROWS_WITH(write_file(folder.path.string(), "x"),
                    ContainsSubstring(folder.path.string()) && ContainsSubstring("directory"));
  CHECK_THROWS_WITH(write_file(folder.file("new/"), "x"), ContainsSubstring("directory"));
  CHECK_THROWS_WITH(write_file(folder.file("no/such/f"), "x"),
                    ContainsSubstring("no/such/f: cannot be written: No such file"));
  CHECK_THROWS_WITH(write_file(folder.file("file/f"), "x"), ContainsSubstring("Not a directory"));
  CHECK_THROWS_WITH(write_file(folder.file(std::string(300, 'n')), "x"), ContainsSubstring("too long"));
  CHECK_THROWS_AS(write_file("/proc/self/nothing", "x"), InputError);
  CHECK(content(folder.file("file")) == "kept");
  CHECK(folder.count() == 1);
}

TEST_CASE("a full device is reported and a device is not replaced by a file") {
  if (!fs::is_character_file("/dev/full")) return;
  CHECK_THROWS_WITH(write_file("/dev/full", "x"), ContainsSubstring("No space left"));
  write_file("/dev/null", "x");
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("a file without write permission is kept") {
  if (::geteuid() == 0) {
    WARN("skipped: root may write everywhere");
    return;
  }
  const Folder folder;
  write_file(folder.file("a"), "kept");
  REQUIRE(::chmod(folder.file("a").c_str(), 0444) == 0);
  CHECK_THROWS_WITH(write_file(folder.file("a"), "x"), ContainsSubstring("Permission denied"));
  CHECK(content(folder.file("a")) == "kept");
}
