#include "replay/trace/launched_steps.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>

namespace mlsim::replay {
namespace {

Seconds begin_of(const GatheredWork& work) { return microseconds(work.begin_us); }
Seconds end_of(const GatheredWork& work) { return microseconds(work.begin_us + work.duration_us); }

// Returns the last step that began by then; none before the first step or behind the last one's window.
std::optional<std::size_t> step_at(const std::vector<RecordedStep>& steps, Seconds moment) {
  const auto after = std::upper_bound(steps.begin(), steps.end(), moment,
                                      [](Seconds m, const RecordedStep& s) { return m < s.begin; });
  if (after == steps.begin()) return {};
  const std::size_t step = static_cast<std::size_t>(after - steps.begin()) - 1;
  if (step + 1 == steps.size() && moment > steps[step].begin + steps[step].window) return {};
  return step;
}

class StepFinder {
 public:
  StepFinder(std::vector<RecordedStep>& steps, const GatheredEvents& all)
      : steps_(steps), all_(all), order_(all.work().size()), ends_(steps.size()), begins_(steps.size()) {
    found_.step_of.resize(all.work().size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](auto a, auto b) { return all.work()[a].begin_us < all.work()[b].begin_us; });
  }

  LaunchedSteps find() {
    give_launched();
    give_others();
    set_times();
    return std::move(found_);
  }

 private:
  void give(std::size_t work, std::optional<std::size_t> step) {
    found_.step_of[work] = step;
    if (!step) return;
    ends_[*step] = max(ends_[*step].value_or(Seconds(0)), end_of(all_.work()[work]));
    const Seconds begin = begin_of(all_.work()[work]);
    begins_[*step] = min(begins_[*step].value_or(begin), begin);
  }

  void give_launched() {
    for (const std::size_t w : order_) {
      const HostLaunch* launch = all_.launch_of(all_.work()[w]);
      if (launch == nullptr) continue;
      with_launches_.insert({all_.work()[w].stream, {}});
      give(w, step_at(steps_, microseconds(launch->begin_us)));
    }
  }

  void give_others() {
    for (const std::size_t w : order_) {
      const GatheredWork& work = all_.work()[w];
      const auto stream = with_launches_.find(work.stream);
      if (all_.launch_of(work) != nullptr) {
        stream->second = {true, found_.step_of[w]};
      } else if (stream == with_launches_.end()) {
        give(w, with_launches_.empty() ? step_at(steps_, begin_of(work)) : step_worked_at(begin_of(work)));
      } else if (stream->second.begun) {
        give(w, stream->second.step);
      } else {
        ++found_.left_over;
      }
    }
  }

  // Returns the first step whose launched work has not ended by then; none before any has begun.
  std::optional<std::size_t> step_worked_at(Seconds moment) const {
    for (std::size_t s = 0; s < steps_.size(); ++s)
      if (ends_[s] && moment < *ends_[s])
        return s == 0 && moment < min(steps_[0].begin, *begins_[0]) ? std::nullopt : std::optional(s);
    return {};
  }

  // Returns when the work of the step before the first ended: what was launched before it, or before the recording.
  Seconds busy_before() const {
    const Seconds begin = steps_.front().begin;
    Seconds end = begin;
    for (std::size_t w = 0; w < order_.size(); ++w) {
      const GatheredWork& work = all_.work()[w];
      const HostLaunch* launch = all_.launch_of(work);
      const bool earlier = launch == nullptr || microseconds(launch->begin_us) < begin;
      if (!found_.step_of[w] && earlier && ends_.front() && end_of(work) < *ends_.front()) end = max(end, end_of(work));
    }
    return end;
  }

  void set_times() {
    Seconds before = busy_before();
    const bool idle = before == steps_.front().begin;
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      RecordedStep& step = steps_[s];
      Seconds end = ends_[s].value_or(step.begin + step.window);
      if (s == 0 && idle) end = max(end, step.begin + step.window);
      step.time = end > before ? end - before : step.window;
      before = max(before, s == 0 && idle ? ends_[s].value_or(end) : end);
    }
  }

  // The work that a stream came to last: whether any of it was launched, and by which step.
  struct StreamState {
    bool begun = false;
    std::optional<std::size_t> step;
  };

  std::vector<RecordedStep>& steps_;
  const GatheredEvents& all_;
  std::vector<std::size_t> order_;                     // work by its begin
  std::vector<std::optional<Seconds>> ends_, begins_;  // by step, of its work
  std::map<std::int64_t, StreamState> with_launches_;  // by stream
  LaunchedSteps found_;
};

}  // namespace

LaunchedSteps launched_steps(std::vector<RecordedStep>& steps, const GatheredEvents& all) {
  return StepFinder(steps, all).find();
}

}  // namespace mlsim::replay
