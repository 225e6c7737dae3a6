#include "core/text/statement.hpp"

#include "catch.hpp"

using namespace mlsim;

TEST_CASE("a statement reads as its parts one behind the other") {
  const Statement said("recipe ", named("recipe", "mlperf-v0.6"), ": ", named("epochs", 41.53), " epochs of ",
                       named_count("samples", 1281167));
  CHECK(said.text == "recipe mlperf-v0.6: 41.5 epochs of 1 281 167");
}

TEST_CASE("a statement keeps its quantities as values, in the order of the text") {
  const Statement said(named("time", milliseconds(19.8)), " on ", named("library", std::string("nccl")));
  REQUIRE(said.quantities.size() == 2);
  CHECK(said.quantities[0] == NamedQuantity{"time", "s", 0.0198, "19.8 ms"});
  CHECK(said.quantities[1] == NamedQuantity{"library", "", {}, "nccl"});
}

TEST_CASE("every kind of quantity has its unit and reads as people write it") {
  CHECK(named("a", Seconds(0.0198)) == NamedQuantity{"a", "s", 0.0198, "19.8 ms"});
  CHECK(named("a", mebibytes(25.6)) == NamedQuantity{"a", "B", 25.6 * 1048576, "25.6 MiB"});
  CHECK(named("a", gigabytes_per_second(82)) == NamedQuantity{"a", "B/s", 82e9, "82.0 GB/s"});
  CHECK(named("a", PerSecond(945.2)) == NamedQuantity{"a", "1/s", 945.2, "945 samples/s"});
  CHECK(named("a", 1.0 / 3) == NamedQuantity{"a", "1", 1.0 / 3, "0.333"});
  CHECK(named("a", 4096) == NamedQuantity{"a", "1", 4096, "4096"});
  CHECK(named("a", "ring") == NamedQuantity{"a", "", {}, "ring"});
  CHECK(named_exact("a", 0.0475) == NamedQuantity{"a", "1", 0.0475, "0.0475"});
  CHECK(named_count("a", 1281167) == NamedQuantity{"a", "1", 1281167, "1 281 167"});
  CHECK(named_percent("a", 0.9312) == NamedQuantity{"a", "1", 0.9312, "93.1 %"});
}

TEST_CASE("a statement within another brings its quantities along") {
  Statement said("the others ", Statement("anchored on ", named("anchor", "box-1")));
  said.add("; ");
  said.add(named("share", 0.5));
  CHECK(said.text == "the others anchored on box-1; 0.5");
  REQUIRE(said.quantities.size() == 2);
  CHECK(said.quantities[0].name == "anchor");
  CHECK(said.quantities[1].name == "share");
}

TEST_CASE("a list of statements has its separator between, never around") {
  CHECK(joined({}, "; ") == Statement());
  CHECK(joined({"a"}, "; ").text == "a");
  CHECK(joined({"a", named("b", 2)}, "; ").text == "a; 2");
}
