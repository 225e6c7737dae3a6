#include "sim/explain/critical_path.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace mlsim::sim {
namespace {

// Times within this share of the step are the same: engines add rates and latencies in another order.
constexpr double kSame = 1e-9;

class Walk {
 public:
  Walk(const StepSchedule& schedule, const Timeline& timeline)
      : schedule_(schedule), timeline_(timeline), near_(kSame * timeline.end()) {
    for (const Span& span : timeline.spans) spans_[{span.vertex, span.rank_class}] = &span;
  }

  std::vector<PathStep> path() {
    const Span* at = last_span();
    Seconds until = at == nullptr ? Seconds(0) : at->end;
    while (at != nullptr) {
      if (schedule_.node(at->vertex).kind == NodeKind::collective) at = &last_to_join(*at);
      add(at->vertex, at->rank_class, at->begin, until);
      const Span* before = last_before(*at);
      const Seconds ended = before == nullptr ? Seconds(0) : min(before->end, at->begin);
      if (at->begin - ended > near_) add({}, at->rank_class, ended, at->begin);
      until = ended;
      at = before;
    }
    std::reverse(path_.begin(), path_.end());
    return std::move(path_);
  }

 private:
  using Place = std::pair<std::size_t, std::uint32_t>;  // vertex, class

  void add(std::optional<std::size_t> vertex, std::uint32_t rank_class, Seconds begin, Seconds end) {
    if (end > begin) path_.push_back({vertex, rank_class, begin, end});
  }

  const Span* last_span() const {
    const Span* last = nullptr;
    for (const Span& span : timeline_.spans) {
      if (last == nullptr || span.end > last->end) last = &span;
    }
    return last;
  }

  // Returns the span of the same collective on the class that came last of those it can have waited for: a class that
  // came within less than half the collective's own time before the end belongs to another group.
  const Span& last_to_join(const Span& span) const {
    const Span* last = &span;
    const Seconds latest = span.end - 0.5 * schedule_.duration(span.vertex, 1);
    for (auto place = first(span.vertex); place != first(span.vertex + 1); ++place) {
      const Span& other = *place->second;
      if (other.begin > last->begin + near_ && other.begin <= latest) last = &other;
    }
    return *last;
  }

  const Span* last_before(const Span& span) const {
    const Span* last = nullptr;
    const auto consider = [&](const Span& before) {
      if (last == nullptr || before.end >= last->end) last = &before;
    };
    for (const std::size_t u : schedule_.predecessors(span.vertex)) {
      const bool received = schedule_.node(u).kind == NodeKind::transfer;  // its span stands on the class that sends
      for (auto place = first(u); place != first(u + 1); ++place) {
        const Span& before = *place->second;
        if (received ? before.end <= span.begin + near_ : before.rank_class == span.rank_class) consider(before);
      }
    }
    return last;
  }

  std::map<Place, const Span*>::const_iterator first(std::size_t vertex) const {
    return spans_.lower_bound({vertex, 0});
  }

  const StepSchedule& schedule_;
  const Timeline& timeline_;
  Seconds near_;
  std::map<Place, const Span*> spans_;
  std::vector<PathStep> path_;
};

}  // namespace

std::vector<PathStep> critical_path(const StepSchedule& schedule, const Timeline& timeline) {
  return Walk(schedule, timeline).path();
}

}  // namespace mlsim::sim
