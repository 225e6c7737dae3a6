// Natural order is the order in which people list names with numbers in them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace mlsim::reports {

/// Puts "tpu-v3-32" before "tpu-v3-128": runs of digits compare by value.
bool natural_less(const std::string& a, const std::string& b);

template <class T>
void sort_naturally(std::vector<T>& items, std::string T::*key) {
  std::stable_sort(items.begin(), items.end(), [&](const T& a, const T& b) { return natural_less(a.*key, b.*key); });
}

}  // namespace mlsim::reports
