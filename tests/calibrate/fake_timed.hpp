// Something to time that takes what a test says, on a clock of its own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/bench.hpp"
#include "core/text/errors.hpp"
#include "kernels/timed.hpp"
#include "tests/namespace.hpp"

namespace mlsim::test {

/// Advances as the fakes are run; each look at it takes no time.
struct FakeClock {
  Seconds now;
  auto reader() {
    return [this] { return now; };
  }
};

/// Sample i takes `time(i)`, and as much again to flush.
class FakeTimed : public Timed {
 public:
  FakeTimed(FakeClock& clock, std::function<Seconds(int)> time, double error = 0)
      : clock_(clock), time_(std::move(time)), error_(error) {}
  Seconds sample(Cache) override {
    const Seconds time = time_(samples++);
    clock_.now += time * 2.0;
    return time;
  }
  double largest_error() override { return error_; }
  Bytes bytes() const override { return Bytes(1000); }
  Flop flop() const override { return Flop(2000); }
  std::optional<std::string> implementation() const override { return "jit:fake"; }

  int samples = 0;

 private:
  FakeClock& clock_;
  std::function<Seconds(int)> time_;
  double error_;
};

}  // namespace mlsim::test
