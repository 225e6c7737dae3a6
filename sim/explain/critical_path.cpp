#include "sim/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace mlsim::sim {
namespace {

// A subject says what a stretch is about, finer to coarser.
struct Subject {
  std::string name;  // "all-reduce gradients 3", or the block of layers: "stage2"
  std::string kind;  // "compute", "exchange", "host", "wait"
  std::string part;  // "forward"
  int stage = 0;
};

std::string part_name(StepPart part) {
  switch (part) {
    case StepPart::input: return "input";
    case StepPart::forward: return "forward";
    case StepPart::backward: return "backward";
    case StepPart::gradient_exchange: return "gradient exchange";
    case StepPart::optimizer: break;
  }
  return "optimizer";
}

// "stage2.block0.conv1 weight gradient" is of the block "stage2"; the block of "input batch" is "input".
std::string block_of(const std::string& node) {
  const auto dot = node.find('.'), space = node.find(' ');
  return dot < space ? node.substr(0, dot) : node.substr(0, space);
}

Subject subject_of(const StepSchedule& schedule, const PathStep& step) {
  if (!step.vertex) return {"", "wait", "waiting", 0};
  const StepNode& node = schedule.node(*step.vertex);
  const std::string part = part_name(node.part);
  const bool passes = is_pass(node);
  if (is_exchange(node)) return {passes ? block_of(node.name) : node.name, "exchange", part, node.role};
  const std::string kind = is_compute(node) ? "compute" : "host";
  return {passes ? block_of(node.name) : node.name, kind, part, node.role};
}

constexpr int kCoarsest = 4;

bool is_pass(const std::string& part) { return part == "forward" || part == "backward"; }

// Stretches are one segment where their coarser subjects are the same.
Subject coarser(Subject subject, int level) {
  if (level >= 1 && is_pass(subject.part)) subject.kind.clear();
  if (level >= 2) subject.name.clear();
  if (level >= 2) subject.kind.clear();
  if (level >= 3 && is_pass(subject.part)) subject.part = "forward and backward";
  if (level >= kCoarsest) subject.stage = 0;
  return subject;
}

std::string subject_text(const Subject& key, bool stages) {
  std::string text = key.part;
  if (key.part == "waiting") return text;
  if (!key.name.empty()) text = is_pass(key.part) ? fmt::format("{} {}", key.part, key.name) : key.name;
  if (key.kind == "exchange" && is_pass(key.part)) text += ", exchange";
  return stages ? fmt::format("{} on stage {}", text, key.stage) : text;
}

Seconds& slot_of(PathSegment& segment, const Subject& subject) {
  if (subject.kind == "compute") return segment.compute;
  if (subject.kind == "exchange") return segment.communication;
  return subject.kind == "host" ? segment.host : segment.wait;
}

bool same(const Subject& a, const Subject& b) {
  return a.name == b.name && a.kind == b.kind && a.part == b.part && a.stage == b.stage;
}

std::vector<PathSegment> merged(const std::vector<std::pair<Subject, const PathStep*>>& steps, int level, bool stages) {
  std::vector<PathSegment> segments;
  std::optional<Subject> last;
  for (const auto& [subject, step] : steps) {
    const Subject key = coarser(subject, level);
    if (!last || !same(*last, key)) {
      PathSegment segment;
      segment.what = subject_text(key, stages && level < kCoarsest);
      segment.begin = segment.end = step->begin;
      segments.push_back(std::move(segment));
      last = key;
    }
    PathSegment& segment = segments.back();
    segment.end = step->end;
    segment.nodes += step->vertex ? 1 : 0;
    slot_of(segment, subject) += step->end - step->begin;
  }
  return segments;
}

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

std::vector<PathSegment> path_segments(const StepSchedule& schedule, const std::vector<PathStep>& path) {
  std::vector<std::pair<Subject, const PathStep*>> steps;
  bool stages = false;
  for (const PathStep& step : path) {
    steps.emplace_back(subject_of(schedule, step), &step);
    stages = stages || steps.back().first.stage > 0;
  }
  for (int level = 0;; ++level) {
    auto segments = merged(steps, level, stages);
    if (segments.size() <= kMostSegments || level == kCoarsest) return segments;
  }
}

}  // namespace mlsim::sim
