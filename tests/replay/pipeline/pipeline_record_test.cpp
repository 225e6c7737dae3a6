// A table of recorded pipeline operations: what is read, and what is refused.
#include "replay/pipeline/pipeline_record.hpp"

#include <fmt/format.h>

#include <string>

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kHeader = "step,data_rank,stage,op,sequence,start_us,duration_us\n";
// One data rank, two stages, one micro-batch.
const std::string kWhole = kHeader +
                           "7,0,0,forward-compute,0,0,100\n7,0,1,forward-compute,0,110,100\n"
                           "7,0,1,backward-compute,0,210,200\n7,0,0,backward-compute,0,420,200\n";

void check_refused(const std::string& text, const std::string& says) {
  CHECK_THROWS_WITH(parse_pipeline_record(text, "ops.csv"), ContainsSubstring(says));
  CHECK_THROWS_AS(parse_pipeline_record(text, "ops.csv"), InputError);
}

}  // namespace

TEST_CASE("a record has its size from its rows, and times in seconds") {
  const PipelineRecord record = parse_pipeline_record(kWhole + "7,0,0,optimizer,0,620,30\n", "ops.csv");
  CHECK(record.size.data_ranks == 1);
  CHECK(record.size.stages == 2);
  CHECK(record.size.micro_batches == 1);
  CHECK(record.hosts.empty());
  REQUIRE(record.steps.size() == 1);
  CHECK(record.steps[0].number == 7);
  CHECK(record.steps[0].time().value == Approx(650e-6));
  CHECK(record.steps[0].workers[1].duration(PipelineOp::backward_compute).value == Approx(200e-6));
  CHECK(record.steps[0].workers[1].duration(PipelineOp::optimizer).value == 0);
}

TEST_CASE("hosts are kept where a column names them, and a worker has one") {
  std::string text = "host," + kWhole;
  for (std::size_t at = text.find('\n'); at + 1 < text.size(); at = text.find('\n', at + 1)) text.insert(at + 1, "n1,");
  CHECK(parse_pipeline_record(text, "ops.csv").hosts == std::vector<std::string>{"n1", "n1"});
  text.replace(text.rfind("n1,"), 2, "n2");
  check_refused(text, "ops.csv:5: host is \"n2\", and was \"n1\" of data rank 0, stage 0 before");
}

TEST_CASE("a record that is none is refused with file, line and word") {
  check_refused("", "ops.csv:1: is empty");
  check_refused(kHeader, "ops.csv: holds no operation");
  check_refused("step,data_rank,stage,op,sequence,start,duration_us\n", "unknown column \"start\"");
  check_refused("step,data_rank,stage,op,sequence,start_us\n", "lacks the column \"duration_us\"");
  check_refused(kHeader + "7,0,0,forward,0,0,100\n",
                "ops.csv:2: column \"op\": unknown pipeline operation \"forward\"");
  check_refused(kHeader + "7,0,0,forward-compute,0,0,-1\n", "ops.csv:2: column \"duration_us\": \"-1\" is below 0");
  check_refused(kHeader + "7,0,0,forward-compute,0,nan,1\n", "ops.csv:2: column \"start_us\"");
  check_refused(kHeader + "7,0,0,forward-compute,0,0,inf\n", "ops.csv:2: column \"duration_us\"");
  check_refused(kHeader + "7,-1,0,forward-compute,0,0,1\n", "ops.csv:2: column \"data_rank\"");
  check_refused(kHeader + "7,0,0,optimizer,1,0,1\n", "ops.csv:2: column \"sequence\": is 1 of optimizer");
  check_refused(kWhole + "7,0,0,forward-compute,0,0,100\n",
                "ops.csv:6: forward-compute 0 of data rank 0, stage 0 stands twice in step 7");
}

TEST_CASE("workers and passes that are missing are named, before anything is made as large as the figures say") {
  check_refused(kWhole + "7,2,0,forward-compute,0,0,100\n", "data rank 1, stage 0 is missing of 3 data ranks");
  check_refused(kWhole + "7,999999,0,forward-compute,0,0,100\n", "data rank 1, stage 0 is missing of 1000000");
  check_refused(kWhole + "7,2000000000,0,forward-compute,0,0,100\n",
                "column \"data_rank\": \"2000000000\" is not below 1 000 000");
  check_refused(kWhole + "7,0,0,forward-compute,999999,0,100\n", "some are missing");
  check_refused(kWhole + "8,0,0,forward-compute,0,0,100\n", "some are missing");
  std::string text = kWhole;
  text.replace(text.rfind("backward-compute"), 16, "backward-send");
  text += "7,0,0,optimizer,0,620,30\n";
  check_refused(text, "step 7, data rank 0, stage 0: backward-compute 0 is missing");
}

TEST_CASE("a pass before the one that 1F1B runs before it is a clock that goes backwards") {
  std::string text = kWhole;
  text.replace(text.find(",420,"), 5, ",-0,");
  text.replace(text.find("0,0,100"), 7, "0,50,100");
  check_refused(text, "step 7, data rank 0, stage 0: backward-compute 0 begins before");
}
