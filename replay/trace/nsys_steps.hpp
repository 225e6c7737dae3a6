// repeated_ranges() says which NVTX ranges are a run's steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mlsim::replay {

/// An NvtxRange belongs to one thread; its times are in ns as the file has them.
struct NvtxRange {
  std::string text;
  std::int64_t thread = 0, begin = 0, end = 0;
};

/// Returns the ranges of one name and thread, but for a number at the name's end, that follow one another at least
/// twice and cover the most time, in their order; nothing where none repeats.
std::vector<NvtxRange> repeated_ranges(const std::vector<NvtxRange>& ranges);

/// Returns 12 for "step 12"; -1 where there is no number at the end.
std::int64_t trailing_number(const std::string& text);

}  // namespace mlsim::replay
