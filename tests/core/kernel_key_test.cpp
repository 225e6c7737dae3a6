#include "core/kernel_key.hpp"

#include <random>

#include "catch.hpp"
#include "core/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("every kernel key reads back from its text") {
  std::mt19937_64 random(1);
  for (std::size_t op = 0; op < names<KernelOp>().size(); ++op) {
    for (int i = 0; i < 20; ++i) {
      KernelKey key{static_cast<KernelOp>(op), Precision::bf16, {}};
      for (auto& dim : key.dims) dim = static_cast<std::int64_t>(random() % 4 == 0 ? 0 : random() >> 8);
      key.dims.front() = 1 + i;
      CHECK(parse_kernel_key(to_text(key)) == key);
    }
    CHECK(parse<KernelOp>(names<KernelOp>()[op]) == static_cast<KernelOp>(op));
  }
}

TEST_CASE("trailing dimensions at their usual value are left out of a key's text") {
  const KernelKey key{KernelOp::conv_forward, Precision::fp16, {64, 3, 224, 224, 64, 7, 2}};
  CHECK(to_text(key) == "conv_forward fp16 64 3 224 224 64 7 2");
  KernelKey grouped = key;
  grouped.dims[9] = 32;
  CHECK(to_text(grouped) == "conv_forward fp16 64 3 224 224 64 7 2 0 0 32");
}

TEST_CASE("text that is no kernel key is refused with the nearest operator or the reason") {
  CHECK_THROWS_WITH(parse_kernel_key("matmull fp16 1 2 3"), ContainsSubstring("\"matmul\""));
  CHECK_THROWS_WITH(parse_kernel_key("matmul fp16"), ContainsSubstring("1 to 11 dimensions"));
  CHECK_THROWS_WITH(parse_kernel_key("matmul fp16 1 2 3 4 5 6 7 8 9 10 11 12"),
                    ContainsSubstring("1 to 11 dimensions"));
  CHECK_THROWS_WITH(parse_kernel_key("matmul fp16 1 -2"), ContainsSubstring("\"-2\" is no dimension"));
}
