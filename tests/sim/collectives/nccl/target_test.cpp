#include "sim/collectives/nccl/system.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a topology is the system that NCCL sees, with its names") {
  const NcclTarget target = nccl_target("dgx-a100:nodes=2");
  CHECK(target.topology == "dgx-a100");
  CHECK(target.accelerator == "a100-sxm4-40gb");
  CHECK(target.system.ranks() == 16);
  CHECK(target.system.nodes == 2);
}

TEST_CASE("where NCCL runs no all-reduce there is no target") {
  CHECK_THROWS_WITH(nccl_target("dgx-a10"), ContainsSubstring("dgx-a100"));
  CHECK_THROWS_AS(nccl_target("torus4x4"), InputError);
  CHECK_THROWS_WITH(nccl_target("p3.2xlarge"), ContainsSubstring("one accelerator"));
}
