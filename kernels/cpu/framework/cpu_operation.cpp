#include "kernels/cpu/framework/cpu_operation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "core/text/errors.hpp"
#include "kernels/cpu/framework/team.hpp"

namespace mlsim::kernels {
namespace {

class TimedOperation : public Timed {
 public:
  TimedOperation(CpuOperation operation, int threads) : operation_(std::move(operation)), threads_(threads) {}

  Seconds sample(Cache cache) override {
    if (cache == Cache::cold) {
      flush_caches(threads_);
      if (operation_.arrival) operation_.arrival();
    }
    if (cache == Cache::fresh && !operation_.run_fresh)
      throw Unavailable("has no batch among its operands that could be fresh");
    const auto& run = cache == Cache::fresh ? operation_.run_fresh : operation_.run;
    const auto begin = std::chrono::steady_clock::now();
    run();
    return Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  double largest_error() override { return operation_.largest_error(); }
  Bytes bytes() const override { return operation_.bytes; }
  Flop flop() const override { return operation_.flop; }
  std::optional<std::string> implementation() const override { return operation_.implementation; }

 private:
  CpuOperation operation_;
  int threads_;
};

}  // namespace

std::unique_ptr<Timed> timed_operation(CpuOperation operation, int threads) {
  return std::make_unique<TimedOperation>(std::move(operation), threads);
}

void ErrorMeter::compare(double result, double reference) {
  const double difference = std::abs(result - reference);
  difference_ = std::isnan(difference) ? std::numeric_limits<double>::quiet_NaN() : std::max(difference_, difference);
  reference_ = std::max(reference_, std::abs(reference));
}

double ErrorMeter::largest() const { return difference_ / (reference_ > 0 ? reference_ : 1); }

void for_checked(std::int64_t count, std::int64_t terms, const std::function<void(std::int64_t)>& check) {
  // A kernel gets about 50 ms of slow references, of results from every corner.
  constexpr std::int64_t kTerms = 20'000'000, kLeast = 100;
  const std::int64_t checked = std::min(count, std::max(kTerms / std::max<std::int64_t>(terms, 1), kLeast));
  for (std::int64_t i = 0; i < checked; ++i) check(std::int64_t(double(i) / double(checked) * double(count)));
  if (checked > 0) check(count - 1);
}

}  // namespace mlsim::kernels
