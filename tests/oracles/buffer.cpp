#include "tests/oracles/buffer.hpp"
#include "tests/namespace.hpp"

#include <algorithm>
#include <iterator>

namespace mlsim::test {

Contributions sum(const Contributions& a, const Contributions& b) {
  Contributions result;
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      result.push_back(*i++);
    } else if (i == a.end() || j->first < i->first) {
      result.push_back(*j++);
    } else {
      result.emplace_back(i->first, i->second + j->second);
      ++i, ++j;
    }
  }
  return result;
}

std::vector<SymbolicBuffer::Part> SymbolicBuffer::read(Segment where) const {
  std::vector<Part> found;
  if (where.size() == 0) return found;
  for (auto part = std::prev(parts_.upper_bound(where.begin)); part != parts_.end() && part->first < where.end;
       ++part) {
    const auto next = std::next(part);
    const std::uint64_t end = next == parts_.end() ? elements_ : next->first;
    found.push_back({{std::max(part->first, where.begin), std::min(end, where.end)}, part->second});
  }
  return found;
}

void SymbolicBuffer::split(std::uint64_t at) {
  if (at >= elements_) return;
  const auto part = std::prev(parts_.upper_bound(at));
  if (part->first != at) parts_[at] = part->second;
}

void SymbolicBuffer::replace(const Part& part) {
  split(part.where.begin);
  split(part.where.end);
  const auto first = parts_.find(part.where.begin);
  parts_.erase(std::next(first), parts_.lower_bound(part.where.end));
  first->second = part.what;
}

void SymbolicBuffer::add(const Part& part) {
  split(part.where.begin);
  split(part.where.end);
  for (auto at = parts_.find(part.where.begin); at != parts_.end() && at->first < part.where.end; ++at)
    at->second = sum(at->second, part.what);
}

}  // namespace mlsim::test
