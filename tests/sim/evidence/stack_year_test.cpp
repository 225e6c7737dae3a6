// The year of a stack: rounds, dates and versions in its name.
#include "sim/evidence/stack_year.hpp"

#include "catch.hpp"

using namespace mlsim::sim;

TEST_CASE("a stack's name tells its year by MLPerf's round, by a date, or by a version") {
  CHECK(stack_year("mlperf-v0.5") == 2018);
  CHECK(stack_year("mlperf-v0.6-pytorch") == 2019);
  CHECK(stack_year("mlperf-v0.7-tf") == 2020);
  CHECK(stack_year("mlperf-v1.1") == 2021);
  CHECK(stack_year("mlperf-v2.1-habana") == 2022);
  CHECK(stack_year("mlperf-v5.0-nemo") == 2025);
  CHECK(stack_year("dle-pytorch-2024-04-04") == 2024);
  CHECK(stack_year("tf-2017-servers") == 2017);
  CHECK(stack_year("mlbench-2020-gloo") == 2020);
  CHECK(stack_year("tf-1.12-xla") == 2018);
  CHECK(stack_year("mine") == std::nullopt);
  CHECK(stack_year("run-12019") == std::nullopt);
}

TEST_CASE("no stack is later than a year that nobody asks for, nor is one of no known year") {
  CHECK(later_than(2019, "mlperf-v0.7"));
  CHECK_FALSE(later_than(2020, "mlperf-v0.7"));
  CHECK_FALSE(later_than(std::nullopt, "mlperf-v5.0"));
  CHECK_FALSE(later_than(2017, "mine"));
}
