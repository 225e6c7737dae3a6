#include "core/kernel/kernel_key.hpp"

#include <random>

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("every kernel key reads back from its text") {
  std::mt19937_64 random(1);
  for (std::size_t op = 0; op < names<KernelOp>().size(); ++op) {
    CHECK(parse<KernelOp>(names<KernelOp>()[op]) == static_cast<KernelOp>(op));
    std::vector<std::int64_t> numbers;
    for (int count = 1; count <= 11; ++count) {
      numbers.push_back(static_cast<std::int64_t>(random() >> 8));
      try {
        const KernelKey key{static_cast<KernelOp>(op), Precision::bf16,
                            with_numbers(shape_family(static_cast<KernelOp>(op)), numbers)};
        CHECK(parse_kernel_key(to_text(key)) == key);
      } catch (const InputError&) {  // too few numbers or too many for this operator
      }
    }
  }
}

TEST_CASE("numbers at their usual value are left out of a key's text") {
  KernelKey key{KernelOp::conv_forward, Precision::fp16, ConvolutionShape{64, 3, 224, 224, 64, 7, 2}};
  CHECK(to_text(key) == "conv_forward fp16 64 3 224 224 64 7 2");
  std::get<ConvolutionShape>(key.shape).groups = 32;
  CHECK(to_text(key) == "conv_forward fp16 64 3 224 224 64 7 2 0 0 32");
  CHECK(to_text({KernelOp::elementwise, Precision::fp32, ElementwiseShape{5}}) == "elementwise fp32 5");
  CHECK(to_text({KernelOp::flash_attention_forward, Precision::bf16, AttentionShape{8, 5, 6, 64}}) ==
        "flash_attention_forward bf16 8 5 6 64");
  CHECK(to_text({KernelOp::flash_attention_backward, Precision::bf16, AttentionShape{8, 5, 5, 64, 64, 1}}) ==
        "flash_attention_backward bf16 8 5 5 64 0 1");
  CHECK(parse_kernel_key("matmul fp16 2 3 4 1") == parse_kernel_key("matmul fp16 2 3 4"));
}

TEST_CASE("a window's width is as its height where a key does not tell it") {
  const auto square = shape_of<ConvolutionShape>(parse_kernel_key("conv_forward fp16 64 3 224 224 64 7 2"));
  CHECK((square.kernel_w == 7 && square.stride_w == 2 && square.groups == 1));
  const auto flat = shape_of<PoolShape>(parse_kernel_key("max_pool_forward fp16 64 3 224 224 1 1 7"));
  CHECK((flat.kernel_h == 1 && flat.kernel_w == 7 && flat.stride_w == 1));
}

TEST_CASE("an update that tells no rule has the usual one of its bytes") {
  const auto rule = [](const std::string& text) { return shape_of<OptimizerShape>(parse_kernel_key(text)).rule; };
  CHECK(rule("optimizer fp32 1000 7 12") == UpdateRule::sgd);
  CHECK(rule("optimizer fp32 1000 7 20") == UpdateRule::momentum);
  CHECK(rule("optimizer fp32 1000 7 28") == UpdateRule::adam);
  CHECK(rule("optimizer fp32 1000 7 8") == UpdateRule::lars_norms);
  CHECK(rule("optimizer fp32 1000 7 32") == UpdateRule::lamb_norms);
  CHECK(rule("optimizer fp32 1000 7 44") == UpdateRule::lamb);
  CHECK(rule("optimizer fp32 1000 7 44 28") == UpdateRule::other);
  CHECK(rule("optimizer fp32 1000 7 20 nesterov") == UpdateRule::nesterov);
  CHECK(to_text(parse_kernel_key("optimizer fp32 1000 7 20 nesterov")) == "optimizer fp32 1000 7 20 nesterov");
  CHECK(to_text(parse_kernel_key("optimizer fp32 1000 7 20 momentum")) == "optimizer fp32 1000 7 20");
  CHECK_THROWS_WITH(parse_kernel_key("optimizer fp32 1000 7 20 nestorov"), ContainsSubstring("\"nesterov\""));
}

TEST_CASE("text that is no kernel key is refused with the nearest operator or the reason") {
  CHECK_THROWS_WITH(parse_kernel_key("matmull fp16 1 2 3"), ContainsSubstring("\"matmul\""));
  CHECK_THROWS_WITH(parse_kernel_key("matmul fp16"), ContainsSubstring("operator, precision, dimensions"));
  CHECK_THROWS_WITH(parse_kernel_key("matmul fp16 1 2"), ContainsSubstring("the number of its k is missing"));
  CHECK_THROWS_WITH(parse_kernel_key("matmul fp16 1 2 3 4 5 6"), ContainsSubstring("there are at most 5 numbers"));
  CHECK_THROWS_WITH(parse_kernel_key("matmul fp16 1 -2"), ContainsSubstring("\"-2\" is no dimension"));
  CHECK_THROWS_WITH(parse_kernel_key("matmul fp16 1 2 nesterov"), ContainsSubstring("\"nesterov\" is no dimension"));
}

TEST_CASE("an extent below 1 is named") {
  CHECK(missing_extent(parse_kernel_key("dense_forward fp32 2 0 4").shape) == "inputs");
  CHECK(missing_extent(parse_kernel_key("dense_forward fp32 2 3 4").shape) == std::nullopt);
}
