#include "calibrate/collectives/collective_plan.hpp"

#include <algorithm>

#include "catch.hpp"
#include "core/text/errors.hpp"

using Catch::Matchers::ContainsSubstring;

namespace mlsim::test {

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
  CHECK(grid_payloads({Bytes(8), Bytes(65), 2}) == std::vector<Bytes>{Bytes(8), Bytes(16), Bytes(32), Bytes(64)});
  CHECK(grid_payloads({Bytes(4), Bytes(10), 1.5}) == std::vector<Bytes>{Bytes(4), Bytes(6), Bytes(9)});
  CHECK(grid_payloads({Bytes(1), Bytes(4), 1.01}).size() == 4);  // a byte more at least
  CHECK(grid_payloads({Bytes(8), Bytes(8), 2}) == std::vector<Bytes>{Bytes(8)});
  CHECK(payload_sizes("nccl-tests", Precision::fp32).front() == Bytes(8));
  CHECK(payload_sizes("nccl-tests", Precision::fp32).back() == mebibytes(128));
  CHECK(payload_sizes("nccl-tests", Precision::fp32).size() == 25);
  CHECK(payload_sizes("quick", Precision::fp32) == grid_payloads({Bytes(1024), mebibytes(16), 4}));
}

TEST_CASE("payloads that do not rise, or too many, are refused") {
  CHECK_THROWS_AS(grid_payloads({Bytes(0), Bytes(64), 2}), InputError);
  CHECK_THROWS_AS(grid_payloads({Bytes(8), Bytes(4), 2}), InputError);
  CHECK_THROWS_AS(grid_payloads({Bytes(8), Bytes(64), 1}), InputError);
  CHECK_THROWS_WITH(grid_payloads({Bytes(8), Bytes(1e9), 1.0001}), ContainsSubstring("choose a larger factor"));
  CHECK_THROWS_WITH(payload_sizes("task1", Precision::fp32), ContainsSubstring("task0"));
}

TEST_CASE("a size is read as nccl-tests reads it, or with its unit") {
  CHECK(parse_payload("8") == Bytes(8));
  CHECK(parse_payload("1K") == Bytes(1024));
  CHECK(parse_payload("128M") == mebibytes(128));
  CHECK(parse_payload("128 m") == mebibytes(128));
  CHECK(parse_payload("1.5g") == Bytes(1610612736));
  CHECK(parse_payload("16 MiB") == mebibytes(16));
  CHECK(parse_payload("100 MB") == Bytes(1e8));
  CHECK(parse_payload("0.7K") == Bytes(716));
  for (const auto* wrong : {"", "K", "M128", "12Q", "0", "-8", "-1M", "0.5", "1e999", "nan", "large"}) {
    INFO(wrong);
    CHECK_THROWS_AS(parse_payload(wrong), InputError);
  }
  CHECK_THROWS_WITH(parse_payload("-8"), ContainsSubstring("\"-8\" is less than one byte"));
}

}  // namespace mlsim::test
