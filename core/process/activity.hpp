// What the program is at and how far it is: for a terminal, and for the word on Ctrl-C.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/units.hpp"

namespace mlsim {

/// While it lives, the program is said to be at `what`, "simulating the step"; one inside another is a part of it.
/// Counting on costs an addition: who shows it looks by itself. In a forked child it counts for the parent, which waits
/// for it; one of many children keeps its own to itself.
class Activity {
 public:
  /// `all`: what there is to do, where that is known.
  explicit Activity(std::string_view what, std::uint64_t all = 0);
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

  void rename(std::string_view what);
  void advance(std::uint64_t by = 1);
  void reach(std::uint64_t done, std::uint64_t all);
  /// Until it is done, where that is known better than from how far it is.
  void expect(Seconds left);

  /// From here on nobody sees what this process is at.
  static void keep_to_oneself();

 private:
  std::size_t depth_;
};

/// One of what the program is at, the outermost first, as a signal's handler may read it.
struct ActivityLevel {
  static constexpr std::size_t kMostLetters = 64;
  std::array<char, kMostLetters> what{};  // ends with 0; empty while it is renamed
  std::atomic<std::uint64_t> done{0}, all{0};
  std::atomic<double> left_s{0};
};

inline constexpr std::size_t kMostActivities = 8;  // deeper ones are not seen

/// Of the moment; the first `count` of them.
struct ActivityLevels {
  std::array<ActivityLevel, kMostActivities> at;
  std::atomic<std::size_t> count{0};
};

/// Never null and never moved; only to be read.
const ActivityLevels& current_activities();

}  // namespace mlsim
