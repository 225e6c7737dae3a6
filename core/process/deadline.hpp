// A Deadline is the moment at which a wait is over.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "core/units.hpp"

namespace mlsim {

class Deadline {
 public:
  /// The deadline is `limit` from now on; without a limit it never comes.
  explicit Deadline(std::optional<Seconds> limit) {
    if (limit) at_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(Span(std::min(limit->value, kLongest)));
  }

  bool passed() const { return at_ && Clock::now() >= *at_; }

  /// Returns the milliseconds until then as poll() takes them: rounded up, -1 for ever.
  int poll_ms() const {
    if (!at_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*at_ - Clock::now()).count();
    return static_cast<int>(std::clamp<decltype(left)>(left, 0, std::numeric_limits<int>::max()));
  }

  /// The earlier deadline is the smaller.
  friend bool operator<(const Deadline& a, const Deadline& b) { return a.at_ && (!b.at_ || *a.at_ < *b.at_); }

 private:
  using Clock = std::chrono::steady_clock;
  using Span = std::chrono::duration<double>;
  static constexpr double kLongest = 1e9;  // thirty years, which the clock can count

  std::optional<Clock::time_point> at_;
};

}  // namespace mlsim
