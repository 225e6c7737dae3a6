#include "core/profile/collective_name.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "namespace.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a workload may be one collective with its payload") {
  CHECK(names_collective("all-reduce:payload=1MiB"));
  CHECK(names_collective("AllReduce:payload=4kB"));
  CHECK(names_collective("all-reduce"));
  CHECK_FALSE(names_collective("resnet50"));
  CHECK_FALSE(names_collective("bert-large:sequence=128"));
  const CollectiveName gather = parse_collective_name("all_gather:payload=4 kB");
  CHECK(gather.kind == CollectiveKind::all_gather);
  CHECK(gather.payload == Bytes(4000));
  CHECK(to_text(gather) == "all-gather:payload=4000B");
  CHECK(parse_collective_name("all-reduce:payload=931424B").payload == Bytes(931424));
}

TEST_CASE("the name of a collective is refused with the nearest word") {
  CHECK_THROWS_WITH(parse_collective_name("all-reduc:payload=1MiB"), ContainsSubstring("all-reduce"));
  CHECK_THROWS_WITH(parse_collective_name("all-reduce"), ContainsSubstring("all-reduce:payload=1MiB"));
  CHECK_THROWS_WITH(parse_collective_name("all-reduce:paylod=1MiB"), ContainsSubstring("payload"));
  CHECK_THROWS_WITH(parse_collective_name("all-reduce:payload=0B"), ContainsSubstring("1 B"));
  CHECK_THROWS_AS(parse_collective_name("all-reduce:payload=many"), InputError);
}
