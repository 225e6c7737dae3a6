#include "studies/plan/job_bill.hpp"

#include <algorithm>

namespace mlsim::studies {

std::vector<std::size_t> pareto_front(const std::vector<std::optional<TimeAndCost>>& points) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i]) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return *points[a] < *points[b]; });
  std::vector<std::size_t> front;
  for (const std::size_t i : order)
    if (front.empty() || (*points[i])[1] < (*points[front.back()])[1]) front.push_back(i);
  return front;
}

}  // namespace mlsim::studies
