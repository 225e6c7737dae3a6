#include "cli/output/activity_text.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "core/process/activity.hpp"

namespace mlsim::cli {
namespace {

constexpr std::uint64_t kMostToCount = 10000;  // shares tell more of larger ones

timespec program_began{};

double monotonic_seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

void begin_elapsed() { ::clock_gettime(CLOCK_MONOTONIC, &program_began); }

void SignalText::add(std::string_view text) {
  const std::size_t letters = std::min(text.size(), letters_.size() - size_);
  std::copy_n(text.begin(), letters, letters_.begin() + static_cast<std::ptrdiff_t>(size_));
  size_ += letters;
}

void SignalText::add_count(std::uint64_t count) {
  std::array<char, 20> digits{};
  std::size_t at = digits.size();
  do digits[--at] = static_cast<char>('0' + count % 10);
  while ((count /= 10) > 0);
  add({digits.data() + at, digits.size() - at});
}

void SignalText::add_time(double seconds) {
  const bool in_minutes = seconds >= 120, in_hours = seconds >= 7200;
  add_count(static_cast<std::uint64_t>(std::round(seconds / (in_hours ? 3600 : in_minutes ? 60 : 1))));
  add(in_hours ? " h" : in_minutes ? " min" : " s");
}

void SignalText::add_elapsed() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  add_time(std::floor(monotonic_seconds(now) - monotonic_seconds(program_began)));
}

void SignalText::add_activity() {
  const ActivityLevels& levels = current_activities();
  bool first = true;
  for (std::size_t i = 0; i < std::min<std::size_t>(levels.count, kMostActivities); ++i) {
    const ActivityLevel& level = levels.at[i];
    if (level.what[0] == '\0') continue;
    if (!first) add(": ");
    first = false;
    add(level.what.data());
    const std::uint64_t all = level.all, done = std::min<std::uint64_t>(level.done, all);
    if (all == 0) continue;
    add(", ");
    add_count(all < kMostToCount
                  ? done
                  : static_cast<std::uint64_t>(100.0 * static_cast<double>(done) / static_cast<double>(all)));
    add(all < kMostToCount ? " of " : " %");
    if (all < kMostToCount) add_count(all);
    if (const double left = level.left_s; left > 0 && done < all) {
      add(", ");
      add_time(left);
      add(" left");
    }
  }
}

void SignalText::cut(std::size_t columns) { size_ = std::min(size_, columns); }

void SignalText::write() const {
  if (::write(STDERR_FILENO, letters_.data(), size_) < 0) return;
}

}  // namespace mlsim::cli
