#include "studies/plan/job_bill.hpp"

#include "catch.hpp"
#include "namespace.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

// Hours and USD an hour.
std::optional<JobBill> bill(double time, double price) {
  JobBill made;
  made.time = made.billed = hours(time);
  made.price = usd_per_hour(price);
  return made;
}

}  // namespace

TEST_CASE("the front holds those that no other beats in both time and cost, the quickest first") {
  // Costs: 10, 8, 9, 3, 3.
  const auto front = cost_front({bill(1, 10), bill(2, 4), bill(3, 3), bill(3, 1), bill(4, 0.75), std::nullopt});
  CHECK(front == std::vector<std::size_t>{0, 1, 3});
  CHECK(cost_front({}).empty());
  CHECK(cost_front({std::nullopt}).empty());
}

TEST_CASE("at its break-even price a job costs what the other does") {
  const JobBill own = *bill(2, 4);
  const Usd other(3);
  JobBill cheaper = own;
  cheaper.price = own.break_even(other);
  CHECK(cheaper.cost()->value == Approx(3));
}

TEST_CASE("what is billed is the cost by its price, or the time and what is beside it") {
  Prediction p;
  CHECK(!job_bill(p));
  p.time_to_target = Seconds(100);
  p.interval.time_to_target = Interval{80, 130};
  p.job.emplace();
  p.job->billed = Seconds(160);
  CHECK(job_bill(p)->billed_range == Interval{140, 190});
  CHECK(!job_bill(p)->cost());
  p.price = UsdPerSecond(2);
  p.cost = Usd(400);
  p.interval.cost = Interval{300, 500};
  CHECK(job_bill(p)->billed == Seconds(200));
  CHECK(job_bill(p)->billed_range == Interval{150, 250});
}
