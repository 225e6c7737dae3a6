// `FlatLists` keeps many short lists of numbers one behind the other, in two arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace mlsim {

/// The lists are numbered as they were added. All their elements together are fewer than 2^32.
class FlatLists {
 public:
  FlatLists() = default;
  /// Takes where each list ends, and their elements.
  FlatLists(std::vector<std::uint32_t> end, std::vector<std::uint32_t> all)
      : end_(std::move(end)), all_(std::move(all)) {}

  /// Adds an element to the list that close() will end.
  void push(std::uint32_t element) { all_.push_back(element); }
  void close() { end_.push_back(static_cast<std::uint32_t>(all_.size())); }

  std::span<const std::uint32_t> operator[](std::size_t list) const {
    const std::uint32_t begin = list == 0 ? 0 : end_[list - 1];
    return std::span<const std::uint32_t>(all_).subspan(begin, end_[list] - begin);
  }
  std::size_t size() const { return end_.size(); }

 private:
  std::vector<std::uint32_t> end_;  // of each list
  std::vector<std::uint32_t> all_;
};

/// Gives, for each list of numbers below the count of lists, the lists that hold it, in ascending order.
inline FlatLists reversed(const FlatLists& lists) {
  std::vector<std::uint32_t> place(lists.size() + 1);
  for (std::size_t i = 0; i < lists.size(); ++i)
    for (const std::uint32_t element : lists[i]) ++place[element + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<std::uint32_t> end(place.begin() + 1, place.end()), all(place.back());
  for (std::uint32_t i = 0; i < lists.size(); ++i)
    for (const std::uint32_t element : lists[i]) all[place[element]++] = i;
  return {std::move(end), std::move(all)};
}

}  // namespace mlsim
