#include "workloads/split/shared_count.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/errors.hpp"

namespace mlsim::workloads {
namespace {

bool divides_all(int ranks, const std::vector<SharedCount>& counts) {
  return std::all_of(counts.begin(), counts.end(), [&](const SharedCount& each) { return each.count % ranks == 0; });
}

// Returns 1 where nothing else works.
int nearest(int ranks, const std::vector<SharedCount>& counts, const std::function<bool(int)>& works) {
  const auto least = std::min_element(counts.begin(), counts.end(),
                                      [](const SharedCount& a, const SharedCount& b) { return a.count < b.count; });
  const std::int64_t most = least->count;
  for (int distance = 1; ranks - distance > 1 || ranks + distance <= most; ++distance) {
    for (const int candidate : {ranks + distance, ranks - distance}) {
      if (candidate > 1 && candidate <= most && divides_all(candidate, counts) && works(candidate)) return candidate;
    }
  }
  return 1;
}

}  // namespace

void check_axis(Axis axis, int ranks) {
  if (ranks < 1) throw InputError(fmt::format("{}={}: an axis has 1 rank or more", name(axis), ranks));
}

void check_shared(Axis axis, int ranks, const std::vector<SharedCount>& counts, const std::function<bool(int)>& works) {
  const auto odd =
      std::find_if(counts.begin(), counts.end(), [&](const SharedCount& each) { return each.count % ranks != 0; });
  if (odd == counts.end()) return;
  const int other = nearest(ranks, counts, works);
  const std::string remedy = other > 1 ? fmt::format("{}={} works", name(axis), other)
                                       : fmt::format("no axis {} longer than 1 works", name(axis));
  throw Infeasible(fmt::format("{}={} does not divide the {} {} of {}; {}", name(axis), ranks, odd->count, odd->what,
                               odd->layer, remedy));
}

}  // namespace mlsim::workloads
