#include "kernels/probes.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "tests/kernels/cuda/operations/host_executor.hpp"

namespace mlsim::kernels::cuda {
namespace {

using Catch::Matchers::ContainsSubstring;

// Done by libraries or by the machine itself.
bool is_our_own(const ProbeName& name) {
  return (name.variant == "fused" || name.variant == "unfused") && !name.kind.starts_with("gemm") &&
         !name.kind.starts_with("conv");
}

}  // namespace

TEST_CASE("every probe's name is read back and stands once") {
  for (const bool quick : {true, false}) {
    const auto names = cuda_probes(quick);
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
    for (const auto& name : names) CHECK(to_text(parse_known_probe(name)) == name);
  }
}

TEST_CASE("every fused probe has its unfused twin") {
  const auto names = cuda_probes(false);
  int twins = 0;
  for (const auto& name : names) {
    ProbeName probe = parse_known_probe(name);
    if (probe.variant != "fused") continue;
    probe.variant = "unfused";
    CHECK(std::count(names.begin(), names.end(), to_text(probe)) == 1);
    ++twins;
  }
  CHECK(twins > 20);
}

TEST_CASE("every probe of our own kernels is an operation") {
  for (const auto& form : probe_forms()) {
    for (const auto& variant : form.variants) {
      const std::vector<std::int64_t> sizes(form.sizes.size(), 8);
      const ProbeName name{form.kind, variant, Precision::fp32, sizes};
      if (is_our_own(name)) CHECK(host_error({name.kind, variant == "fused", *name.precision, sizes}) < 1e-5);
    }
  }
}

TEST_CASE("a quick list measures the ceilings and is short") {
  const auto quick = cuda_probes(true);
  CHECK(quick.front() == "copy fp32 268435456");
  CHECK(quick.size() <= 50);
  for (const char* needed : {"gemm fp32 4096 4096 4096", "launch plain", "launch graph", "host_to_device 268435456",
                             "overlap_kernel beside_copy fp32 268435456"}) {
    CHECK(std::count(quick.begin(), quick.end(), needed) == 1);
  }
}

TEST_CASE("a wrong probe names the nearest right word") {
  CHECK_THROWS_WITH(parse_known_probe("bias_rela fused fp32 8 8"), ContainsSubstring("bias_relu"));
  CHECK_THROWS_WITH(parse_known_probe("bias_relu fussed fp32 8 8"), ContainsSubstring("fused"));
  CHECK_THROWS_WITH(parse_known_probe("bias_relu fused fp33 8 8"), ContainsSubstring("fp32"));
  CHECK_THROWS_WITH(parse_known_probe("bias_relu fused fp32 8"), ContainsSubstring("<rows> <columns>"));
  CHECK_THROWS_AS(parse_known_probe("copy fp32 -1"), InputError);
  CHECK_THROWS_AS(parse_known_probe("copy fp32 1e300"), InputError);
  CHECK_THROWS_AS(parse_known_probe("copy fp32 1.5"), InputError);
  CHECK_THROWS_AS(parse_known_probe(""), InputError);
}

}  // namespace mlsim::kernels::cuda
