#include "calibrate/helper_process.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const MeasureOrder kOrder{"probe a", 1, Cache::cold, {}};
constexpr Seconds kLong(300), kShort(0.3);

// A measuring program of a few shell lines.
std::string program(const ScratchFolder& folder, const std::string& script) {
  const std::string path = folder.file("fake", "#!/bin/sh\n" + script + "\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

std::string answer_line() {
  MeasureReply reply;
  reply.subject = kOrder.subject;
  reply.time.count = 7;
  return to_line(reply);
}

}  // namespace

TEST_CASE("a helper answers each order with a line") {
  const ScratchFolder folder;
  HelperProcess helper(program(folder, "while read order; do echo '" + answer_line() + "'; done"));
  CHECK(helper.ask(kOrder, kLong).time.count == 7);
  CHECK(helper.ask(kOrder, kLong).time.count == 7);
}

TEST_CASE("a helper that dies is named with its code and last words") {
  const ScratchFolder folder;
  HelperProcess helper(program(folder, "read order; echo first >&2; echo 'out of luck' >&2; exit 4"));
  CHECK_THROWS_WITH(helper.ask(kOrder, kLong), "fake ended with code 4: out of luck");
}

TEST_CASE("a helper that is killed is named with the signal") {
  const ScratchFolder folder;
  HelperProcess helper(program(folder, "read order; kill -9 $$"));
  CHECK_THROWS_WITH(helper.ask(kOrder, kLong), ContainsSubstring("fake was ended by signal 9"));
}

TEST_CASE("a helper that lacks what it needs makes that unavailable") {
  const ScratchFolder folder;
  HelperProcess helper(program(folder, "echo 'mlsim-cuda: there is no GPU' >&2; exit 3"));
  CHECK_THROWS_AS(helper.ask(kOrder, kLong), Unavailable);
}

TEST_CASE("a helper that hangs is stopped after its time") {
  const ScratchFolder folder;
  HelperProcess helper(program(folder, "read order; exec sleep 100"));
  CHECK_THROWS_WITH(helper.ask(kOrder, kShort), ContainsSubstring("has not answered for \"probe a\" within"));
}

TEST_CASE("a helper that answers something else is not believed") {
  const ScratchFolder folder;
  HelperProcess nonsense(program(folder, "read order; echo hello; sleep 1"));
  CHECK_THROWS_AS(nonsense.ask(kOrder, kLong), HelperFailed);
  HelperProcess other(program(folder, "read order; echo '" + answer_line() + "'; sleep 1"));
  CHECK_THROWS_WITH(other.ask({"probe b", 0, Cache::cold, {}}, kLong), ContainsSubstring("not \"probe b\""));
}

TEST_CASE("waiting for a helper ends when it is interrupted") {
  const ScratchFolder folder;
  HelperProcess helper(program(folder, "read order; exec sleep 100"), [] { return true; });
  CHECK_THROWS_AS(helper.ask(kOrder, kLong), Interrupted);
}

TEST_CASE("a helper tells its versions, and does not see mpirun then") {
  const ScratchFolder folder;
  ::setenv("OMPI_COMM_WORLD_RANK", "0", 1);
  const auto versions = helper_versions(
      program(folder, "echo \"{\\\"argument\\\": \\\"$1\\\", \\\"rank\\\": \\\"$OMPI_COMM_WORLD_RANK\\\"}\""));
  ::unsetenv("OMPI_COMM_WORLD_RANK");
  CHECK(versions == std::map<std::string, std::string>{{"argument", "--versions"}, {"rank", ""}});
  CHECK_THROWS_AS(helper_versions(folder.path("nothing")), HelperFailed);
}

TEST_CASE("a program that is not beside this one is unavailable, with what to install") {
  CHECK_THROWS_WITH(helper_path("mlsim-none", "a miracle"),
                    ContainsSubstring("mlsim-none") && ContainsSubstring("a miracle"));
}
