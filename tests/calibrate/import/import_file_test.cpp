#include "calibrate/import/import_file.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "nccl_tests_samples.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("an import is a file and, behind a colon, what the file leaves out") {
  CHECK(parse_import("runs/a.txt").first == "runs/a.txt");
  CHECK(parse_import("host:a.txt").first == "host:a.txt");
  const auto [path, hints] = parse_import(
      "a.txt:collective=all-gather,precision=bf16,nodes=2,ranks_per_node=8,machine=dgx-a100,buffers=in-place");
  CHECK(path == "a.txt");
  CHECK(hints.kind == CollectiveKind::all_gather);
  CHECK(hints.precision == Precision::bf16);
  CHECK(hints.nodes == 2);
  CHECK(hints.ranks_per_node == 8);
  CHECK(hints.machine == "dgx-a100");
  CHECK(hints.in_place);
}

TEST_CASE("an import that cannot be is a sentence") {
  CHECK_THROWS_WITH(parse_import("a.txt:node=2"), ContainsSubstring("did you mean \"nodes\"?"));
  CHECK_THROWS_WITH(parse_import("a.txt:nodes=0"), ContainsSubstring("a.txt:nodes=0") && ContainsSubstring("below"));
  CHECK_THROWS_WITH(parse_import("a.txt:nodes="), ContainsSubstring("must be key=value"));
  CHECK_THROWS_WITH(parse_import("a.txt:collective=allreduce"), ContainsSubstring("all-reduce"));
  CHECK_THROWS_WITH(parse_import("a.txt:buffers=inplace"), ContainsSubstring("in-place"));
  CHECK_THROWS_WITH(parse_import("a.txt:nodes=2000000000,ranks_per_node=2"), ContainsSubstring("1 000 000 ranks"));
}

TEST_CASE("a file of no known format, an empty one or none is refused") {
  const ScratchFolder folder;
  CHECK_THROWS_WITH(import_file(folder.file("a.txt", "size,time\n8,1\n")), ContainsSubstring("neither"));
  CHECK_THROWS_WITH(import_file(folder.file("b.txt", " \n")), ContainsSubstring("is empty"));
  CHECK_THROWS_AS(import_file(folder.path("c.txt")), InputError);
  CHECK_THROWS_AS(import_file(folder.file("d.txt", std::string("\0\x01\xff#", 4))), InputError);
}

TEST_CASE("a sweep carries the machine that it is said to be of") {
  const ScratchFolder folder;
  ImportHints hints;
  hints.machine = "dgx-a100";
  CHECK(import_file(folder.file("a.txt", kNcclTestsText), hints)[0].machine == "dgx-a100");
}
