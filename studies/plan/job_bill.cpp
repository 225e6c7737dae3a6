#include "studies/plan/job_bill.hpp"

#include <algorithm>

namespace mlsim::studies {

std::optional<JobBill> job_bill(const Prediction& p) {
  if (!p.time_to_target || !p.job) return {};
  JobBill bill;
  bill.time = *p.time_to_target;
  bill.time_range = p.interval.time_to_target.value_or(Interval{bill.time.value, bill.time.value});
  bill.price = p.price;
  if (p.cost && p.price && p.price->value > 0) {
    bill.billed = *p.cost / *p.price;
    const Interval cost = p.interval.cost.value_or(Interval{p.cost->value, p.cost->value});
    bill.billed_range = {cost[0] / p.price->value, cost[1] / p.price->value};
  } else {
    bill.billed = p.job->billed;
    const double beside = (bill.billed - bill.time).value;
    bill.billed_range = {bill.time_range[0] + beside, bill.time_range[1] + beside};
  }
  return bill;
}

std::vector<std::size_t> cost_front(const std::vector<std::optional<JobBill>>& bills) {
  std::vector<std::optional<TimeAndCost>> points;
  for (const auto& bill : bills)
    points.push_back(bill && bill->price ? std::optional(TimeAndCost{bill->time.value, bill->cost()->value})
                                         : std::nullopt);
  return pareto_front(points);
}

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
