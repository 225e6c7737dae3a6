#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "calibrate/measure.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "kernels/cpu/cpu_kernel.hpp"
#include "kernels/probes.hpp"

namespace mlsim::test {
namespace {

using Catch::Matchers::ContainsSubstring;

bool has_probes() { return !cpu_versions().empty(); }

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

TEST_CASE("both lists of probes have every kind, and each fused kernel its unfused twin") {
  for (const bool quick : {true, false}) {
    const auto probes = cpu_probes(quick);
    std::set<std::string> kinds;
    for (const auto& probe : probes) {
      kinds.insert(first_word(probe));
      const auto at = probe.find(" fused ");
      if (at == std::string::npos) continue;
      std::string twin = probe;
      CHECK(std::count(probes.begin(), probes.end(), twin.replace(at, 7, " unfused ")) == 1);
    }
    CHECK(kinds == std::set<std::string>{"copy", "gemm", "bias_relu", "norm_relu_add", "softmax_cross_entropy", "sgd",
                                         "momentum", "lars", "adam", "lamb", "logistic_step"});
    CHECK(std::set<std::string>(probes.begin(), probes.end()).size() == probes.size());
  }
}

TEST_CASE("fused kernels and their unfused twins agree with float64") {
  if (!has_probes()) return;
  for (const std::string probe : {"bias_relu", "norm_relu_add", "softmax_cross_entropy", "sgd", "momentum", "lars",
                                  "adam", "lamb", "logistic_step"}) {
    for (const std::string variant : {" fused", " unfused"}) {
      const std::string name = probe + variant + " fp32 300 37";
      INFO(name);
      const auto timed = cpu_probe(name, 0);
      CHECK(timed->largest_error() < error_tolerance(Precision::fp32));
      CHECK(timed->sample(Cache::hot) > Seconds(0));
      CHECK(timed->bytes() > Bytes(0));
    }
  }
}

TEST_CASE("the unfused norm names oneDNN's three kernels, none of them a reference on an x86-64") {
  if (!has_probes()) return;
  CHECK_FALSE(cpu_probe("norm_relu_add fused fp32 300 37", 0)->implementation());
  const auto implementation = cpu_probe("norm_relu_add unfused fp32 300 37", 0)->implementation();
  REQUIRE(implementation);
  CHECK(std::count(implementation->begin(), implementation->end(), ',') == 2);
#ifdef __x86_64__
  CHECK_FALSE(is_reference(implementation));
#endif
}

TEST_CASE("a copy moves its buffer twice and a product counts two FLOP for each of its terms") {
  if (!has_probes()) return;
  const auto copy = cpu_probe("copy fp32 4096", 1);
  CHECK(copy->largest_error() == 0);
  CHECK(copy->bytes() == Bytes(8192));
  CHECK(cpu_probe("gemm fp32 10 20 30", 1)->flop() == Flop(12000));
}

TEST_CASE("a probe that nobody knows names the nearest") {
  if (!has_probes()) return;
  CHECK_THROWS_WITH(cpu_probe("bias_rely fused fp32 8 8", 0), ContainsSubstring("bias_relu"));
  CHECK_THROWS_WITH(cpu_probe("adam fusd fp32 8 8", 0), ContainsSubstring("fused"));
  CHECK_THROWS_AS(cpu_probe("adam fused fp32 8", 0), InputError);
  CHECK_THROWS_AS(cpu_probe("adam fused fp32 8 x", 0), InputError);
  CHECK_THROWS_AS(cpu_probe("copy fp32 0", 0), InputError);
  CHECK_THROWS_AS(cpu_probe("", 0), InputError);
  CHECK_THROWS_AS(cpu_probe("copy bf16 4096", 0), Unavailable);
}

TEST_CASE("a build without kernels says what to install") {
  if (has_probes()) return;
  CHECK_THROWS_WITH(cpu_probe("copy fp32 4096", 0), ContainsSubstring("libdnnl-dev"));
}

}  // namespace
}  // namespace mlsim::test
