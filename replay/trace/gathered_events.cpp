#include "replay/trace/gathered_events.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "replay/trace/recorded_collective.hpp"

namespace mlsim::replay {
namespace {

// Categories of 2021 are capitalised.
std::optional<RecordedKind> work_of(const std::string& category) {
  static const std::array<std::pair<const char*, RecordedKind>, 6> kinds{{{"kernel", RecordedKind::compute},
                                                                          {"Kernel", RecordedKind::compute},
                                                                          {"gpu_memcpy", RecordedKind::copy},
                                                                          {"Memcpy", RecordedKind::copy},
                                                                          {"gpu_memset", RecordedKind::fill},
                                                                          {"Memset", RecordedKind::fill}}};
  for (const auto& [name, kind] : kinds)
    if (category == name) return kind;
  return {};
}

bool is_launch(const std::string& category) {
  return category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime";
}

}  // namespace

void GatheredEvents::add(const TraceEvent& e) {
  if (const auto kind = work_of(e.category)) {
    GatheredWork work{
        *kind, e.stream.value_or(e.thread), e.correlation.value_or(-1), index_of(e.name), e.begin_us, e.duration_us, 0};
    if (*kind == RecordedKind::compute && (!e.collective.empty() || is_communication(e.name))) {
      work.kind = RecordedKind::collective;
      work.communication = communications_.size();
      communications_.push_back(e);
    }
    work_.push_back(work);
  } else if (is_launch(e.category)) {
    if (e.correlation) launches_[*e.correlation] = {e.begin_us, e.duration_us, e.thread};
  } else if (e.name.starts_with("ProfilerStep#")) {
    if (e.category != "gpu_user_annotation") steps_.push_back(e);  // the accelerator's copy of the host's
  } else if (e.name.starts_with("nccl:") || e.name.starts_with("c10d::")) {
    around_[e.thread].push_back(e);
  }
}

void GatheredEvents::sort() {
  for (auto& [thread, events] : around_)
    std::sort(events.begin(), events.end(), [](const auto& a, const auto& b) { return a.begin_us < b.begin_us; });
}

const HostLaunch* GatheredEvents::launch_of(const GatheredWork& work) const {
  const auto found = launches_.find(work.correlation);
  return found == launches_.end() ? nullptr : &found->second;
}

const TraceEvent* GatheredEvents::around(const HostLaunch& launch, std::string_view prefix) const {
  const auto thread = around_.find(launch.thread);
  if (thread == around_.end()) return nullptr;
  const auto& events = thread->second;
  auto at = std::upper_bound(events.begin(), events.end(), launch.begin_us,
                             [](double moment, const TraceEvent& e) { return moment < e.begin_us; });
  constexpr int kDeepest = 16;  // they nest, and few deep
  for (int i = 0; i < kDeepest && at != events.begin(); ++i) {
    --at;
    if (launch.begin_us <= at->begin_us + at->duration_us && at->name.starts_with(prefix)) return &*at;
  }
  return nullptr;
}

RecordedStep GatheredEvents::whole() const {
  double begin = work_.front().begin_us, end = begin;
  for (const GatheredWork& work : work_) {
    begin = std::min(begin, work.begin_us);
    end = std::max(end, work.begin_us + work.duration_us);
  }
  for (const auto& [correlation, launch] : launches_) begin = std::min(begin, launch.begin_us);
  return {0, microseconds(begin), microseconds(end - begin)};
}

std::size_t GatheredEvents::index_of(const std::string& name) {
  const auto [entry, fresh] = known_.try_emplace(name, names_.size());
  if (fresh) names_.push_back(name);
  return entry->second;
}

}  // namespace mlsim::replay
