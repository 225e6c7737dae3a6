#include "studies/sweep/sweep_axis.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "namespace.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;
using Strings = std::vector<std::string>;

namespace {

Strings values(const std::string& key, const std::string& text) { return parse_axis("--" + key, key, text).values; }

}  // namespace

TEST_CASE("commas and bars stand between values, bars alone where values hold commas") {
  CHECK(values("workload", "resnet50,bert") == Strings{"resnet50", "bert"});
  CHECK(values("workload", "resnet50 | bert") == Strings{"resnet50", "bert"});
  CHECK(values("parallelism", "data=8|tensor=8,pipeline=2") == Strings{"data=8", "tensor=8,pipeline=2"});
  CHECK(values("mesh", "data:x,data:y|spatial:x") == Strings{"data:x,data:y", "spatial:x"});
  CHECK(values("precision", "default,fp32") == Strings{"", "fp32"});
}

TEST_CASE("a range doubles, adds or multiplies, and both ends belong to it") {
  CHECK(values("accelerators", "1..8") == Strings{"1", "2", "4", "8"});
  CHECK(values("accelerators", "1..24") == Strings{"1", "2", "4", "8", "16", "24"});
  CHECK(values("accelerators", "2..10+4") == Strings{"2", "6", "10"});
  CHECK(values("accelerators", "1..1000*10") == Strings{"1", "10", "100", "1000"});
  CHECK(values("teardown", "0..1+0.25 h") == Strings{"0 h", "0.25 h", "0.5 h", "0.75 h", "1 h"});
  CHECK(values("accelerators", "3,8..32") == Strings{"3", "8", "16", "32"});
  CHECK(values("capacity", "0.1..0.3+0.1") == Strings{"0.1", "0.2", "0.3"});  // no fourth by rounding
}

TEST_CASE("the payload of a collective may be a range of sizes") {
  CHECK(values("workload", "all-reduce:payload=1..4 MB") ==
        Strings{"all-reduce:payload=1000000B", "all-reduce:payload=2000000B", "all-reduce:payload=4000000B"});
  CHECK(values("workload", "all-gather:payload=1kB..1MB*10,resnet50").size() == 5);
  const Strings eighty = values("workload", "all-reduce:payload=4B..500MB/80");
  CHECK(eighty.front() == "all-reduce:payload=4B");
  CHECK(eighty.back() == "all-reduce:payload=500000000B");
  CHECK(eighty.size() > 75);  // some of the least are equal in whole bytes
  CHECK(values("workload", "all-reduce:payload=4B") == Strings{"all-reduce:payload=4B"});
  CHECK_THROWS_WITH(values("workload", "all-reduce:payload=4MB..4kB"), ContainsSubstring("does not go up"));
}

TEST_CASE("a system's parameters may be ranges, and their commas part no systems") {
  CHECK(values("topology", "dgx-a100:nodes=1..4,dgx2") ==
        Strings{"dgx-a100:nodes=1", "dgx-a100:nodes=2", "dgx-a100:nodes=4", "dgx2"});
  CHECK(values("topology", "torus16x16:wrap=x,slice=8x8,dgx2") == Strings{"torus16x16:wrap=x,slice=8x8", "dgx2"});
  CHECK(values("topology", "../systems/mine.yaml") == Strings{"../systems/mine.yaml"});
}

TEST_CASE("a list that cannot be meant is refused with its option") {
  const auto complaint = [](const std::string& key, const std::string& text) -> std::string {
    try {
      values(key, text);
    } catch (const InputError& e) {
      CHECK(e.place() == "--" + key);
      return e.reason();
    }
    return "";
  };
  CHECK_THAT(complaint("workload", "resnet50,,bert"), ContainsSubstring("empty value"));
  CHECK_THAT(complaint("workload", "bert,resnet50,bert"), ContainsSubstring("\"bert\" stands twice"));
  CHECK_THAT(complaint("accelerators", "8..1"), ContainsSubstring("does not go up"));
  CHECK_THAT(complaint("accelerators", "1..8*1"), ContainsSubstring("goes nowhere"));
  CHECK_THAT(complaint("accelerators", "0..8"), ContainsSubstring("a range starts at 1"));
  CHECK_THAT(complaint("accelerators", "0..1e9+1"), ContainsSubstring("more than"));
}

TEST_CASE("points are numbered as a counter counts") {
  const std::vector<SweepAxis> axes{{"a", {"0", "1"}}, {"b", {"x", "y", "z"}}};
  CHECK(values_of_point(axes, 0) == Strings{"0", "x"});
  CHECK(values_of_point(axes, 2) == Strings{"0", "z"});
  CHECK(values_of_point(axes, 3) == Strings{"1", "x"});
}

TEST_CASE("a value of a million characters is no range") {
  const std::string endless(1000000, '1');
  CHECK(values("stack", endless) == Strings{endless});
  CHECK(values("topology", "dgx-a100:nodes=" + endless) == Strings{"dgx-a100:nodes=" + endless});
}
