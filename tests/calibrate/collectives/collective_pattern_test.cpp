#include "calibrate/collectives/collective_subject.hpp"

#include <cmath>
#include <cstring>

#include "catch.hpp"
#include "core/kernel/half.hpp"

namespace mlsim::test {
namespace {

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

CollectiveCase rank_one_of_two(CollectiveKind kind) { return {kind, Precision::fp32, 4, 1, 2}; }

}  // namespace

TEST_CASE("ranks send numbers seven apart that repeat after 61") {
  CHECK(pattern(0, 0) == 0);
  CHECK(pattern(0, 60) == 60);
  CHECK(pattern(0, 61) == 0);
  CHECK(pattern(2, 1) == 15);
  CHECK(sent_bytes(rank_one_of_two(CollectiveKind::all_reduce)) == bytes_of({7, 8, 9, 10}));
  CHECK(sent_bytes(rank_one_of_two(CollectiveKind::all_gather)) == bytes_of({7, 8}));
}

TEST_CASE("what each collective must deliver to the second of two ranks") {
  // Rank 0 sends 0 1 2 3 and rank 1 sends 7 8 9 10; of an all-gather only the first two each.
  using Kind = CollectiveKind;
  CHECK(received_error(rank_one_of_two(Kind::all_reduce), bytes_of({7, 9, 11, 13})) == 0);
  CHECK(received_error(rank_one_of_two(Kind::reduce_scatter), bytes_of({11, 13})) == 0);
  CHECK(received_error(rank_one_of_two(Kind::all_gather), bytes_of({0, 1, 7, 8})) == 0);
  CHECK(received_error(rank_one_of_two(Kind::all_to_all), bytes_of({2, 3, 9, 10})) == 0);
  CHECK(received_error(rank_one_of_two(Kind::broadcast), bytes_of({0, 1, 2, 3})) == 0);
  CHECK(received_error(rank_one_of_two(Kind::send_receive), bytes_of({0, 1, 2, 3})) == 0);
}

TEST_CASE("an error is relative to the largest element") {
  CHECK(received_error(rank_one_of_two(CollectiveKind::all_reduce), bytes_of({7, 9, 11, 26})) == 1);
}

TEST_CASE("what was never written, or is too short, is infinitely wrong") {
  const auto of = rank_one_of_two(CollectiveKind::all_reduce);
  CHECK(std::isinf(received_error(of, std::vector<std::byte>(16, std::byte{0xff}))));
  CHECK(std::isinf(received_error(of, bytes_of({7, 9, 11}))));
}

TEST_CASE("ranks between the two of a point to point get nothing") {
  CHECK(received_error({CollectiveKind::send_receive, Precision::fp32, 4, 1, 3}, {}) == 0);
}

TEST_CASE("half-precision patterns are halves") {
  const auto bytes = sent_bytes({CollectiveKind::all_reduce, Precision::fp16, 3, 0, 2});
  HalfBits halves[3];
  REQUIRE(bytes.size() == sizeof halves);
  std::memcpy(halves, bytes.data(), sizeof halves);
  CHECK(float_of_half(halves[2]) == 2);
}

}  // namespace mlsim::test
