// Arrivals count who came last where ranks meet, and how long the first to come waited for it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "replay/diagnosis/cause.hpp"

namespace mlsim::replay {

class Arrivals {
 public:
  /// Counts a meeting whose last rank, "rank 3", came so long after the first.
  void add(const std::string& last, Seconds waited);
  /// Returns those who were ever last, the longest awaited first.
  std::vector<Arrival> ranked() const;

 private:
  std::map<std::string, Arrival> by_name_;
  std::size_t meetings_ = 0;
};

}  // namespace mlsim::replay
