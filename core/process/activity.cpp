#include "core/process/activity.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace mlsim {
namespace {

ActivityLevels own_levels;

// Children share this memory with their parent; where none is to be had, the process uses its own.
ActivityLevels* shared_levels() {
  void* memory = ::mmap(nullptr, sizeof(ActivityLevels), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? &own_levels : new (memory) ActivityLevels;
}

ActivityLevels* seen_levels = shared_levels();

// This count belongs to the process: a child that was killed leaves the shared count behind.
std::size_t activities_open = 0;

ActivityLevel* level_at(std::size_t at) { return at < kMostActivities ? &seen_levels->at[at] : nullptr; }

void set_text(ActivityLevel& level, std::string_view what) {
  const std::size_t letters = std::min(what.size(), ActivityLevel::kMostLetters - 1);
  level.what[0] = '\0';
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (letters == 0) return;
  std::copy(what.begin() + 1, what.begin() + static_cast<std::ptrdiff_t>(letters), level.what.begin() + 1);
  level.what[letters] = '\0';
  std::atomic_signal_fence(std::memory_order_seq_cst);
  level.what[0] = what[0];
}

}  // namespace

Activity::Activity(std::string_view what, std::uint64_t all) : depth_(activities_open++) {
  ActivityLevel* mine = level_at(depth_);
  if (mine == nullptr) return;
  set_text(*mine, what);
  mine->done = 0;
  mine->all = all;
  mine->left_s = 0;
  seen_levels->count = activities_open;
}

Activity::~Activity() {
  activities_open = depth_;
  if (depth_ < kMostActivities) seen_levels->count = depth_;
}

void Activity::rename(std::string_view what) {
  if (ActivityLevel* mine = level_at(depth_)) set_text(*mine, what);
}

void Activity::advance(std::uint64_t by) {
  if (ActivityLevel* mine = level_at(depth_)) mine->done.fetch_add(by, std::memory_order_relaxed);
}

void Activity::reach(std::uint64_t done, std::uint64_t all) {
  ActivityLevel* mine = level_at(depth_);
  if (mine == nullptr) return;
  mine->done = done;
  mine->all = all;
}

void Activity::expect(Seconds left) {
  if (ActivityLevel* mine = level_at(depth_)) mine->left_s = left.value;
}

void Activity::keep_to_oneself() { seen_levels = &own_levels; }

const ActivityLevels& current_activities() { return *seen_levels; }

}  // namespace mlsim
