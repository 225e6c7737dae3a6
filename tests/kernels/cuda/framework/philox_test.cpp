#include "kernels/cuda/framework/philox.hpp"

#include "catch.hpp"

namespace mlsim::kernels::cuda {
namespace {

std::vector<std::uint32_t> words(const PhiloxBlock& block) {
  return {block.at[0], block.at[1], block.at[2], block.at[3]};
}

}  // namespace

// kat_vectors of the authors' Random123 library, philox4x32 10.
TEST_CASE("Philox gives the known answers") {
  CHECK(words(philox({{0, 0, 0, 0}}, 0, 0)) ==
        std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(words(philox({{~0u, ~0u, ~0u, ~0u}}, ~0u, ~0u)) ==
        std::vector<std::uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(words(philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0)) ==
        std::vector<std::uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("an element's random number does not depend on how many a thread takes at once") {
  const auto eight = uniforms<8>(7, 16);
  for (int i = 0; i < 8; ++i) CHECK(eight[i] == uniforms<1>(7, 16 + i)[0]);
}

TEST_CASE("random numbers stay in their range and fill it") {
  double sum = 0;
  for (int i = 0; i < 4000; ++i) {
    const float value = random_value(3, i, -1, 1);
    REQUIRE((value >= -1 && value < 1));
    sum += value;
    REQUIRE((random_index(3, i, 10) >= 0 && random_index(3, i, 10) < 10));
  }
  CHECK(std::abs(sum / 4000) < 0.05);  // five standard deviations: 5 / sqrt(3 * 4000)
}

}  // namespace mlsim::kernels::cuda
