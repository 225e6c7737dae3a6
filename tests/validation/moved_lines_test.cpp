#include "moved_lines.hpp"

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

using Moved = std::vector<std::string>;

TEST_CASE("a figure may part by one of its last digit, and no more") {
  CHECK(moved_lines("a-n1,throughput,1.824e+04,yes\n", "a-n1,throughput,1.825e+04,yes\n") == Moved{});
  CHECK(moved_lines("a,909,yes\n", "a,909.1,yes\n") == Moved{});
  CHECK(moved_lines("a,9999\n", "a,1e+04\n") == Moved{});
  CHECK(moved_lines("| Toy | 39 | 2.6 % | 4.0 % / 9.0 % |", "| Toy | 39 | 2.5 % | 4.0 % / 9.1 % |") == Moved{});
  CHECK(moved_lines("a,1.824e+04\nb,2\n", "a,1.826e+04\nb,2\n") == Moved{"- a,1.824e+04", "+ a,1.826e+04"});
  CHECK(moved_lines("| Toy | 2.6 % |", "| Toy | 2.8 % |").size() == 2);
}

TEST_CASE("names, words and counts are the same to the letter") {
  CHECK(moved_lines("a-n64,12.5,yes\n", "a-n65,12.5,yes\n").size() == 2);
  CHECK(moved_lines("a,12.5,yes\n", "a,12.5,no\n").size() == 2);
  CHECK(moved_lines("| reduce 2 p3dn | 39 |\n", "| reduce 3 p3dn | 39 |\n").size() == 2);
  CHECK(moved_lines("| Toy | 39 |\n", "| Toy | 40 |\n").size() == 2);
}

TEST_CASE("lines that only one side has are shown, and equal ones count as often as they stand there") {
  CHECK(moved_lines("a,1\nb,2\n", "b,2\nc,3\n") == Moved{"- a,1", "+ c,3"});
  CHECK(moved_lines("a,1\na,1\n", "a,1\n") == Moved{"- a,1"});
}
