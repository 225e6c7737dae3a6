#include "replay/trace/nsys_steps.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace mlsim::replay {
namespace {

std::size_t digits_at_end(const std::string& text) {
  std::size_t count = 0;
  while (count < text.size() && text[text.size() - 1 - count] >= '0' && text[text.size() - 1 - count] <= '9') ++count;
  return count;
}

bool follow_one_another(const std::vector<NvtxRange>& ranges) {
  for (std::size_t i = 0; i + 1 < ranges.size(); ++i)
    if (ranges[i + 1].begin < ranges[i].end) return false;
  return true;
}

}  // namespace

std::int64_t trailing_number(const std::string& text) {
  constexpr std::size_t kMost = 18;  // digits that fit
  const std::size_t count = digits_at_end(text);
  if (count == 0 || count > kMost) return -1;
  return std::stoll(text.substr(text.size() - count));
}

std::vector<NvtxRange> repeated_ranges(const std::vector<NvtxRange>& ranges) {
  std::map<std::pair<std::int64_t, std::string>, std::vector<NvtxRange>> by_name;
  for (const NvtxRange& range : ranges)
    by_name[{range.thread, range.text.substr(0, range.text.size() - digits_at_end(range.text))}].push_back(range);
  std::vector<NvtxRange> best;
  std::int64_t most = 0;
  for (auto& [name, all] : by_name) {
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    if (all.size() < 2 || !follow_one_another(all)) continue;
    std::int64_t covered = 0;
    for (const NvtxRange& range : all) covered += range.end - range.begin;
    if (covered <= most) continue;
    most = covered;
    best = all;
  }
  return best;
}

}  // namespace mlsim::replay
