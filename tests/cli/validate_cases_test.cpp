// `mlsim validate` of tables of few rows or none to compare.
#include "bad_case.hpp"
#include "run_mlsim.hpp"

namespace {

const std::string kHeader =
    "id,source,topology,accelerators,workload,precision,global_batch,options,metric,value,unit,relative_uncertainty,"
    "role,citation\n";

std::string row(const std::string& topology, const std::string& role) {
  return "a-run,A source," + topology + ",1,resnet50,fp32,64,optimizer=sgd,throughput,300,images/s,0.05," + role +
         ",\"a paper, table 1\"\n";
}

}  // namespace

TEST_CASE("every way to validate says where there is nothing to compare, and no median over no rows") {
  const ScratchFolder folder;
  const std::string anchor = folder.file("anchor.csv", kHeader + row("dgx-a100", "anchor")),
                    check_row = folder.file("check.csv", kHeader + row("dgx-a100", "check"));
  const auto nothing = [](const std::string& words, const std::string& file, const std::string& why) {
    return BadCase{"validate " + words + " --cases '" + file + "'", file + ": there is nothing to compare: " + why};
  };
  check({nothing("published", anchor, "no row that the question is asked of is a check"),
         nothing("published --format json", anchor, "no row"), nothing("published --hide era", check_row, "no row"),
         nothing("questions", anchor, "no row that the question is asked of is a check"),
         nothing("transfer", anchor, "no run on one V100 or A100"), nothing("transfer", check_row, "no run"),
         nothing("anchors", check_row, "no row is an anchor"), nothing("rates", check_row, "no row is an input")});
}

TEST_CASE("published cases and questions write their board, and nothing else does") {
  const ScratchFolder folder;
  const std::string cases = " --cases '" + folder.file("check.csv", kHeader + row("dgx-a100", "check")) + "'",
                    board = folder.path("board.csv");
  for (const std::string what : {"published", "questions"}) {
    CHECK(run_mlsim("validate " + what + cases + " --board '" + board + "'").err == "");
    CHECK_THAT(text_of(board),
               Catch::Matchers::StartsWith("id,metric,role,published,predicted,held\na-run,throughput,check,300,"));
  }
  check({{"validate convergence --board " + board, "unknown option \"--board\""},
         {"validate transfer" + cases + " --board " + board, "unknown option \"--board\""},
         {"validate trace --board " + board, "unknown option \"--board\""},
         {"validate published" + cases + " --output " + board + " --board " + board, "is written by"},
         {"validate published" + cases + " --board " + folder.path("check.csv"), "is read by --cases"}});
}
