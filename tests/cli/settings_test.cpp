// Settings on the command line, several behind one --set; and what is rounded or split where the question is open.
#include "bad_case.hpp"

namespace {

const std::string kAsk = "predict --quiet --topology dgx1-v100 --workload resnet50 --format json ";

std::string answer_of_settings(const std::string& words) {
  const ProgramRun run = run_mlsim(words);
  INFO(words << "\n" << run.err);
  CHECK(run.code == 0);
  return run.out;
}

}  // namespace

TEST_CASE("several settings stand behind one --set, as behind one each") {
  const std::string each = answer_of_settings(kAsk + "--set data=real --set optimizer=momentum --global-batch 512");
  CHECK(answer_of_settings(kAsk + "--set data=real optimizer=momentum --global-batch 512") == each);
  CHECK(answer_of_settings(kAsk + "--set=data=real optimizer=momentum --global-batch 512") == each);
  check({kAsk + "--set data=real momentum", "\"momentum\" was not expected after `mlsim predict`"});
}

TEST_CASE("a batch that does not divide is rounded, and the answer says so") {
  const ProgramRun run = run_mlsim("predict --topology dgx1-v100 --workload resnet50 --global-batch 1001");
  CHECK(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("a global batch of 1001 does not divide over 8"));
}

TEST_CASE("a model of which no sample fits is split by what it is large in") {
  const std::string out = answer_of_settings("predict --topology dgx-a100 --workload dlrm --format json --quiet");
  CHECK_THAT(out, ContainsSubstring("embedding=8 (it does not fit without)"));
  const ProgramRun asked = run_mlsim("predict --topology dgx-a100 --workload dlrm --parallelism data=8");
  CHECK(asked.code == 1);  // what the user says stays
}
