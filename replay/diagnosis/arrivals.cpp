#include "replay/diagnosis/arrivals.hpp"

#include <algorithm>

namespace mlsim::replay {

void Arrivals::add(const std::string& last, Seconds waited) {
  Arrival& arrival = by_name_.try_emplace(last, Arrival{last, 0, 0, {}}).first->second;
  ++arrival.times;
  arrival.waited += waited;
  ++meetings_;
}

std::vector<Arrival> Arrivals::ranked() const {
  std::vector<Arrival> all;
  for (const auto& [name, arrival] : by_name_) {
    all.push_back(arrival);
    all.back().meetings = meetings_;
  }
  std::stable_sort(all.begin(), all.end(), [](const Arrival& a, const Arrival& b) { return a.waited > b.waited; });
  return all;
}

}  // namespace mlsim::replay
