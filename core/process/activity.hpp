// An Activity says what the program is at and how far it is: for a terminal, and for the word on Ctrl-C.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/units.hpp"

namespace mlsim {

/// While an Activity lives, the program is said to be at `what`, "simulating the step"; one inside another is a part of
/// it. Counting on costs an addition: who shows the activity looks by itself. A forked child counts for the parent,
/// which waits for it; one of many children keeps its own to itself.
class Activity {
 public:
  /// `all` counts what there is to do, where that is known.
  explicit Activity(std::string_view what, std::uint64_t all = 0);
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

  void rename(std::string_view what);
  void advance(std::uint64_t by = 1);
  void reach(std::uint64_t done, std::uint64_t all);
  /// Announces the time until the activity is done, where that is known better than from how far it is.
  void expect(Seconds left);

  /// Nobody sees from here on what this process is at.
  static void keep_to_oneself();

 private:
  std::size_t depth_;
};

/// A level is one of the things that the program is at, the outermost first, as a signal's handler may read it.
struct ActivityLevel {
  static constexpr std::size_t kMostLetters = 64;
  std::array<char, kMostLetters> what{};  // ends with 0; empty while it is renamed
  std::atomic<std::uint64_t> done{0}, all{0};
  std::atomic<double> left_s{0};
};

inline constexpr std::size_t kMostActivities = 8;  // deeper ones are not seen

/// The first `count` levels are those of the moment.
struct ActivityLevels {
  std::array<ActivityLevel, kMostActivities> at;
  std::atomic<std::size_t> count{0};
};

/// Returns the levels, which are never null and never moved, to be read only.
const ActivityLevels& current_activities();

}  // namespace mlsim
