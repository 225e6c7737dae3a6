#include "core/output_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "core/errors.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

TEST_CASE("a file is written whole and nothing beside it") {
  const ScratchFolder folder;
  const std::string big(3'000'000, 'x');
  write_file(folder.path("a.json"), big);
  CHECK(text_of(folder.path("a.json")) == big);
  write_file(folder.path("a.json"), "new");
  CHECK(text_of(folder.path("a.json")) == "new");
  CHECK(folder.entries() == 1);
}

TEST_CASE("a name without a folder is in the working folder") {
  const ScratchFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file("plain.txt", "x");
  fs::current_path(before);
  CHECK(text_of(folder.path("plain.txt")) == "x");
}

TEST_CASE("a file that was there keeps its mode, a new one follows the umask") {
  const ScratchFolder folder;
  write_file(folder.path("a"), "1");
  const ::mode_t mask = ::umask(0);
  ::umask(mask);
  CHECK(static_cast<unsigned>(fs::status(folder.path("a")).permissions()) == (0666U & ~static_cast<unsigned>(mask)));
  REQUIRE(::chmod(folder.path("a").c_str(), 0640) == 0);
  write_file(folder.path("a"), "2");
  CHECK(static_cast<unsigned>(fs::status(folder.path("a")).permissions()) == 0640U);
}

TEST_CASE("a symbolic link stays a link") {
  const ScratchFolder folder;
  write_file(folder.path("real"), "old");
  fs::create_symlink("real", folder.path() / "link");
  write_file(folder.path("link"), "new");
  CHECK(fs::is_symlink(folder.path() / "link"));
  CHECK(text_of(folder.path("real")) == "new");
}

TEST_CASE("what cannot be written is refused with its name and the reason") {
  const ScratchFolder folder;
  write_file(folder.path("file"), "kept");
  CHECK_THROWS_AS(write_file("", "x"), InputError);
  CHECK_THROWS_WITH(write_file(folder.path().string(), "x"),
                    ContainsSubstring(folder.path().string()) && ContainsSubstring("directory"));
  CHECK_THROWS_WITH(write_file(folder.path("new/"), "x"), ContainsSubstring("directory"));
  CHECK_THROWS_WITH(write_file(folder.path("no/such/f"), "x"),
                    ContainsSubstring("no/such/f: cannot be written: No such file"));
  CHECK_THROWS_WITH(write_file(folder.path("file/f"), "x"), ContainsSubstring("Not a directory"));
  CHECK_THROWS_WITH(write_file(folder.path(std::string(300, 'n')), "x"), ContainsSubstring("too long"));
  CHECK_THROWS_AS(write_file("/proc/self/nothing", "x"), InputError);
  CHECK(text_of(folder.path("file")) == "kept");
  CHECK(folder.entries() == 1);
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
  const ScratchFolder folder;
  write_file(folder.path("a"), "kept");
  REQUIRE(::chmod(folder.path("a").c_str(), 0444) == 0);
  CHECK_THROWS_WITH(write_file(folder.path("a"), "x"), ContainsSubstring("Permission denied"));
  CHECK(text_of(folder.path("a")) == "kept");
}
