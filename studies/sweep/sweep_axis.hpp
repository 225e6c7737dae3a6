// A `SweepAxis` lists the values of one word of a sweep: "dgx-a100,dgx2", "1..4096", "dgx-a100:nodes=1..8",
// "tensor=8|tensor=4,pipeline=2".
//
// A bar stands between values; a comma does too where no value of the word holds one. A range doubles from its first
// number (1..24 is 1, 2, 4, 8, 16, 24), 2..10+4 adds, 1..1000*10 multiplies; both ends belong to it, and a unit may
// stand behind: "10..40+10 GB/s". In the name of a system a parameter may be a range, and the payload of a
// collective: "all-reduce:payload=4B..500MB/80" are eighty sizes by equal factors. "default" says nothing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "studies/namespace.hpp"

namespace mlsim::studies {

struct SweepAxis {
  std::string key;                  // of set_word()
  std::vector<std::string> values;  // in the order given; empty: nothing is said
};

/// Throws InputError, whose place is `place`, for an empty value, a value given twice, or a range that goes down or
/// nowhere.
SweepAxis parse_axis(const std::string& place, const std::string& key, const std::string& text);

/// Counts the points of all combinations. Throws InputError where they are more than ten million.
std::size_t points_of(const std::vector<SweepAxis>& axes);

/// Finds the values of a point, an axis each: points are numbered as a counter counts, the last axis the quickest.
std::vector<std::string> values_of_point(const std::vector<SweepAxis>& axes, std::size_t point);

}  // namespace mlsim::studies
