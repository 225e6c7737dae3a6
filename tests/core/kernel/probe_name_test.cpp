#include "core/kernel/probe_name.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a probe's name is its kind and what of variant, precision and sizes it has") {
  CHECK(parse_probe_name("copy fp32 1024") == ProbeName{"copy", "", Precision::fp32, {1024}});
  CHECK(parse_probe_name("launch graph") == ProbeName{"launch", "graph", {}, {}});
  CHECK(parse_probe_name("host_to_device 4096") == ProbeName{"host_to_device", "", {}, {4096}});
  CHECK(parse_probe_name("gemm bf16 2 3 4") == ProbeName{"gemm", "", Precision::bf16, {2, 3, 4}});
  CHECK(parse_probe_name("bias_relu fused fp16 8 4") == ProbeName{"bias_relu", "fused", Precision::fp16, {8, 4}});
  for (const char* text : {"copy fp32 1024", "launch graph", "device_to_host 1", "adam unfused fp32 272474 65"})
    CHECK(to_text(parse_probe_name(text)) == text);
}

TEST_CASE("a probe's name that cannot be read says why") {
  CHECK_THROWS_WITH(parse_probe_name(" "), "a probe has no name");
  CHECK_THROWS_WITH(parse_probe_name("bias_relu fused fp33 8 4"), ContainsSubstring("fp32"));
  CHECK_THROWS_WITH(parse_probe_name("a b c fp32 8"), ContainsSubstring("is not a probe"));
  for (const char* size : {"0", "-1", "1.5", "1e300", "99999999999999999999", "8 x"}) {
    INFO(size);
    CHECK_THROWS_AS(parse_probe_name(std::string("copy fp32 ") + size), InputError);
  }
}
