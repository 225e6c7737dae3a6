#include "calibrate/collectives/payload_sizes.hpp"

#include <algorithm>

#include "catch.hpp"
#include "core/errors.hpp"

namespace mlsim {

TEST_CASE("task 0 has 80 distinct rising sizes from one element to a hundred million") {
  const auto payloads = task0_payloads(Precision::fp16);
  REQUIRE(payloads.size() == 80);
  CHECK(payloads.front() == Bytes(2));
  CHECK(payloads.back() == Bytes(2e8));
  CHECK(std::adjacent_find(payloads.begin(), payloads.end(), [](Bytes a, Bytes b) { return a >= b; }) ==
        payloads.end());
  CHECK(task0_payloads(Precision::fp32)[79] == Bytes(4e8));
}

TEST_CASE("task 0's sizes are even in their logarithm once rounding is small") {
  const auto payloads = task0_payloads(Precision::fp32);
  const double step = 1.26265;  // 10^(8/79)
  for (std::size_t i = 30; i < payloads.size(); ++i) CHECK(payloads[i] / payloads[i - 1] == Approx(step).epsilon(1e-3));
}

TEST_CASE("nccl-tests' sizes rise by a factor to the end") {
  CHECK(nccl_tests_payloads(Bytes(8), Bytes(65), 2) == std::vector<Bytes>{Bytes(8), Bytes(16), Bytes(32), Bytes(64)});
  CHECK(payload_sizes("nccl-tests", Precision::fp32).back() == mebibytes(128));
  CHECK(payload_sizes("quick", Precision::fp32) == nccl_tests_payloads(Bytes(1024), mebibytes(16), 4));
}

TEST_CASE("payloads that do not rise are refused") {
  CHECK_THROWS_AS(nccl_tests_payloads(Bytes(0), Bytes(64), 2), InputError);
  CHECK_THROWS_AS(nccl_tests_payloads(Bytes(8), Bytes(4), 2), InputError);
  CHECK_THROWS_AS(nccl_tests_payloads(Bytes(8), Bytes(64), 1), InputError);
  CHECK_THROWS_WITH(payload_sizes("task1", Precision::fp32), Catch::Matchers::ContainsSubstring("task0"));
}

}  // namespace mlsim
