// What counts as wrong of a command.
#include "command_complaint.hpp"

#include "catch.hpp"

using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::vector<std::string> kJson{"predict", "--format", "json"}, kText{"predict"};

CommandRun ended(int code, const std::string& out, const std::string& err) {
  CommandRun run;
  run.code = code;
  run.out = out;
  run.err = err;
  return run;
}

std::string step_of(const std::string& time, const std::string& compute) {
  return R"({"step": {"time_s": )" + time + R"(, "compute_s": )" + compute +
         R"(, "exposed_communication_s": 0.25, "optimizer_s": 0, "input_wait_s": 0, "straggler_wait_s": 0,
             "bubble_s": 0, "overhead_s": 0, "all_to_all_s": 0.25}, "wall_s": 0.1})";
}

std::string of_answer(const std::string& out) { return run_complaint(ended(0, out, ""), out, kJson); }

}  // namespace

TEST_CASE("an answer whose parts add up, and a refusal in a sentence, are right") {
  CHECK(of_answer(step_of("1", "0.75")) == "");
  CHECK(run_complaint(ended(2, "", "mlsim: unknown topology \"x\"\n"), "", kText) == "");
  CHECK(run_complaint(ended(1, "{\"feasible\": false}", ""), "{\"feasible\": false}", kJson) == "");
}

TEST_CASE("a step whose parts do not add up, or that takes no time or for ever, is wrong") {
  CHECK_THAT(of_answer(step_of("1", "0.7")), ContainsSubstring("add up to 0.95"));
  CHECK_THAT(of_answer(step_of("1", "-0.75")), ContainsSubstring("compute_s"));
  CHECK_THAT(of_answer(step_of("0", "0.75")), ContainsSubstring("takes 0 s"));
  CHECK_THAT(of_answer(step_of("1e10", "1e10")), ContainsSubstring("takes"));
}

TEST_CASE("a negative answer stands on stdout and is the same the second time") {
  CHECK(run_complaint(ended(1, "nothing found", ""), "nothing found", {"diagnose"}) == "");
  CHECK_THAT(run_complaint(ended(1, "nothing found", ""), "found", {"diagnose"}), ContainsSubstring("second time"));
  CHECK_THAT(run_complaint(ended(1, "", ""), "", {"diagnose"}), ContainsSubstring("says nothing"));
}

TEST_CASE("an answer that differs the second time but for the time it took is wrong") {
  const std::string out = step_of("1", "0.75");
  std::string later = out, other = out;
  later.replace(later.find("0.1}"), 3, "0.2");
  other.replace(other.find("\"bubble_s\": 0"), 13, "\"bubble_s\": 0.0");
  CHECK(run_complaint(ended(0, out, ""), later, kJson) == "");
  CHECK_THAT(run_complaint(ended(0, out, ""), other, kJson), ContainsSubstring("second time"));
}

TEST_CASE("an end that is no exit code of mlsim's, silence, two lines and a library's words are wrong") {
  CommandRun aborted = ended(-1, "", "");
  aborted.signal = 6;
  CHECK(run_complaint(aborted, "", kText) == "is ended by signal 6");
  CHECK(run_complaint(ended(134, "", ""), "", kText) != "");
  CHECK(run_complaint(ended(2, "", ""), "", kText) != "");
  CHECK(run_complaint(ended(2, "", "mlsim: one\nmlsim: two\n"), "", kText) != "");
  CHECK(run_complaint(ended(2, "", "mlsim: \033[31m\n"), "", kText) != "");
  CHECK(run_complaint(ended(1, "", "mlsim: does not fit\n"), "", kJson) != "");
  CHECK(run_complaint(ended(2, "", "mlsim: std::bad_alloc\n"), "", kText) != "");
  CHECK(run_complaint(ended(2, "", "mlsim: no std::x\n"), "", {"predict", "std::x"}) == "");
}

TEST_CASE("too long and too much memory are wrong") {
  CommandRun slow = ended(0, "x", "");
  slow.seconds = 61;
  CHECK_THAT(run_complaint(slow, "x", kText), ContainsSubstring("61 s"));
  CommandRun large = ended(0, "x", "");
  large.mebibytes = 1025;
  CHECK_THAT(run_complaint(large, "x", kText), ContainsSubstring("1025 MiB"));
  CHECK_THAT(run_complaint(ended(0, "step nan ms", ""), "step nan ms", kText), ContainsSubstring("no number"));
}
