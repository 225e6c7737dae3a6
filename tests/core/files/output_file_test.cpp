#include "core/files/output_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "catch.hpp"
#include "core/process/child_process.hpp"
#include "core/process/forked.hpp"
#include "core/text/errors.hpp"
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

TEST_CASE("what a killed process has left is removed by the next one, and what a living one writes stays") {
  const ScratchFolder folder;
  const std::string stale = folder.file(".mlsim-0123456789abcdef.tmp", "half"),
                    alive = folder.file(".mlsim-fedcba9876543210.tmp", "half");
  const std::vector<std::string> others{folder.file(".mlsim-0123456789abcdeg.tmp", ""), folder.file(".mlsim-.tmp", ""),
                                        folder.file("mlsim-0123456789abcdef.tmp", ""), folder.file(".other.tmp", "")};
  fs::create_symlink(others.back(), folder.path() / ".mlsim-00000000000000ff.tmp");
  const int writer = ::open(alive.c_str(), O_WRONLY | O_CLOEXEC);
  REQUIRE(::flock(writer, LOCK_EX) == 0);
  write_files({{folder.path("a"), "1"}, {folder.path("b"), "2"}});
  ::close(writer);
  CHECK(text_of(folder.path("a")) == "1");
  CHECK(text_of(folder.path("b")) == "2");
  CHECK_FALSE(fs::exists(stale));
  CHECK(text_of(alive) == "half");
  for (const std::string& other : others) CHECK(fs::exists(other));
  CHECK(folder.entries() == 8);
}

TEST_CASE("a process that is killed while it writes leaves what was there, and nothing after the next one") {
  const ScratchFolder folder;
  const std::string path = folder.path("a"), big(50'000'000, 'x');
  for (int wait_us = 0; wait_us < 20'000; wait_us += 1'000) {
    write_file(path, "before");
    ChildProcess writer([&](int) { write_file(path, big); });
    std::this_thread::sleep_for(std::chrono::microseconds(wait_us));
    writer.kill();
    writer.wait();
    const std::string text = text_of(path);
    CHECK((text == "before" || text == big));
  }
  write_file(path, "after");
  CHECK(folder.entries() == 1);
}

TEST_CASE("a file that may not grow is refused, and nothing is left of it") {
  const ScratchFolder folder;
  const std::string path = folder.file("a", "before");
  const auto outcome = forked([&] {
                         std::signal(SIGXFSZ, SIG_IGN);
                         const rlimit none{0, 0};
                         ::setrlimit(RLIMIT_FSIZE, &none);
                         write_file(path, "after");
                         return std::string("written");
                       }).outcome;
  CHECK_THROWS_WITH(outcome.value(), ContainsSubstring("a: cannot be written: File too large"));
  CHECK(text_of(path) == "before");
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
