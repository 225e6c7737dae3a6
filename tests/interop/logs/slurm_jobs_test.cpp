#include "interop/logs/slurm_jobs.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::interop;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kHeader = "JobID|State|NNodes|AllocTRES|ElapsedRaw|Start|End|ExitCode\n";

std::string slurm_refusal(const std::string& text) {
  try {
    slurm_jobs(text, "jobs.txt");
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("node failures are counted by accelerator-hours, preemptions by machine-hours, each try once") {
  const std::string rest = "|2026-01-01T00:00:00|2026-01-01T01:00:00|0:0\n";
  const SlurmJobs jobs =
      slurm_jobs(kHeader + "1|COMPLETED|4|billing=32,gres/gpu:a100=32,gres/gpu=32,node=4|36000" + rest +
                     "1.batch|COMPLETED|1|node=1|36000" + rest + "2|NODE_FAIL|2|gres/gpu:a100=8,gres/gpu:v100=8|7200" +
                     rest + "2|CANCELLED by 1000|2|gres/gpu=16,node=2|3600" + rest + "3_7|PREEMPTED|1|gres/gpu=8|3600" +
                     rest + "4|COMPLETED|1|cpu=8|3600" + rest + "5|PENDING|1||0" + rest,
                 "jobs.txt");
  CHECK(jobs.jobs == 5);
  CHECK(jobs.without_accelerators == 1);
  CHECK(jobs.failures.events == 1);
  CHECK(jobs.failures.hours == Approx(320 + 32 + 16 + 8));
  CHECK(jobs.preemptions.events == 1);
  CHECK(jobs.preemptions.hours == Approx(40 + 4 + 2 + 1));
}

// Table of Garwood's limits, 90 %: none 0 to 2.996, one 0.051 to 4.744, ten 5.425 to 16.962.
TEST_CASE("the interval of a rate is Poisson's, and nothing seen has an upper end alone") {
  CHECK(EventRate{0, 100}.lower() == 0);
  CHECK(EventRate{0, 100}.upper() == Approx(0.02996).epsilon(1e-3));
  CHECK(EventRate{0, 100}.cautious() == EventRate{0, 100}.upper());
  CHECK(EventRate{1, 1}.lower() == Approx(0.0513).epsilon(1e-3));
  CHECK(EventRate{1, 1}.upper() == Approx(4.744).epsilon(1e-3));
  CHECK(EventRate{10, 2}.lower() == Approx(5.425 / 2).epsilon(1e-3));
  CHECK(EventRate{10, 2}.upper() == Approx(16.962 / 2).epsilon(1e-3));
  CHECK(EventRate{10, 2}.cautious() == Approx(5));
}

TEST_CASE("what sacct would not print is refused with its line") {
  CHECK_THAT(slurm_refusal("JobID|State\n"), ContainsSubstring("jobs.txt:1: there is no column NNodes"));
  CHECK_THAT(slurm_refusal(kHeader + "1|COMPLETED|4\n"),
             ContainsSubstring("jobs.txt:2: has 3 fields, and the first line 8"));
  CHECK_THAT(slurm_refusal(kHeader + "1|NODE_FIAL|4|gres/gpu=8|5|||\n"),
             ContainsSubstring("did you mean \"NODE_FAIL\"?"));
  CHECK_THAT(slurm_refusal(kHeader + "1|FAILED|4|gres/gpu=8|1-02:00|||\n"),
             ContainsSubstring("jobs.txt:2: column ElapsedRaw"));
  CHECK_THAT(slurm_refusal(kHeader + "1|FAILED|4|gres/gpu=x|60|||\n"),
             ContainsSubstring("column AllocTRES: \"gres/gpu=x\""));
  CHECK_THAT(slurm_refusal(kHeader + "1|FAILED|4|cpu=4|60|||\n"), ContainsSubstring("no job that ran on accelerators"));
}
