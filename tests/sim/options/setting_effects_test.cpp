#include "sim/options/setting_effects.hpp"

#include "catch.hpp"
#include "core/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/settings.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a setting without the company that it needs is refused") {
  CHECK_THROWS_WITH(check_company({{"decode", "host"}}), ContainsSubstring("without data=real"));
  CHECK_THROWS_WITH(check_company({{"decode", "host"}, {"data", "synthetic"}}), ContainsSubstring("without data=real"));
  CHECK_NOTHROW(check_company({{"decode", "host"}, {"data", "real"}}));
  CHECK_NOTHROW(check_company({{"checkpoint_bandwidth", "1 GB/s"}, {"checkpoint_interval", "5 min"}}));
  CHECK_THROWS_AS(check_company({{"checkpoint_interval", "5 min"}, {"checkpoint", "off"}}), InputError);
  CHECK_NOTHROW(check_company({}));
}

TEST_CASE("settings that exclude each other are refused with the reason") {
  CHECK_THROWS_WITH(check_company({{"horovod_cycle", "1 ms"}}), ContainsSubstring("without exchange=horovod"));
  CHECK_THROWS_WITH(check_company({{"fusion_buffer", "1 MiB"}, {"exchange", "buckets"}}),
                    ContainsSubstring("without exchange=horovod"));
  CHECK_THROWS_WITH(check_company({{"bucket", "1 MiB"}, {"exchange", "horovod"}}), ContainsSubstring("fusion_buffer"));
  CHECK_THROWS_WITH(check_company({{"overlap", "off"}, {"exchange", "horovod"}}),
                    ContainsSubstring("does not go with exchange=horovod"));
  CHECK_THROWS_WITH(check_company({{"choice", "nccl"}, {"communicator", "gloo"}}), ContainsSubstring("about NCCL"));
  CHECK_NOTHROW(check_company({{"overlap", "on"}, {"exchange", "horovod"}, {"horovod_cycle", "1 ms"}}));
  CHECK_NOTHROW(check_company({{"bucket", "1 MiB"}, {"first_bucket", "1 MiB"}, {"exchange", "buckets"}}));
}

TEST_CASE("a setting of the job is refused where there is none, others are not") {
  CHECK_THROWS_WITH(check_jobless({{"billing", "hour"}}), ContainsSubstring("--set billing=hour"));
  CHECK_NOTHROW(check_jobless({{"data", "real"}, {"price", "preemptible"}}));
}

TEST_CASE("every setting that needs company or a job is a setting") {
  for (const auto& key : settings_keys()) {
    if (key.theme != "Failures and checkpoints" || key.key == "time_between_failures" ||
        key.key == "checkpoint_bandwidth")
      continue;
    INFO(key.key);
    CHECK_THROWS_AS(check_jobless({{key.key, "x"}}), InputError);
  }
}
