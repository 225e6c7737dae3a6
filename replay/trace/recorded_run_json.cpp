#include "core/text/json_schema_writer.hpp"
#include "replay/trace/collective_json.hpp"
#include "replay/trace/recorded_run.hpp"

namespace mlsim::replay {
namespace {

struct NumberedStep {
  std::int64_t number = 0;
  Seconds time{};
  StepSums sums{};
};

// A ShownSpan counts its times from the begin of its step.
struct ShownSpan {
  RecordedSpan span{};
  std::string name{};
  Seconds origin{};
};

struct ShownTimeline {
  std::int64_t step = 0;
  std::vector<ShownSpan> spans{};
};

struct NumberedCollective {
  AlignedCollective aligned{};
  std::int64_t step = 0;
};

std::vector<NumberedStep> numbered_steps(const RecordedRank& rank) {
  std::vector<NumberedStep> steps;
  for (std::size_t i = 0; i < rank.trace.steps.size(); ++i)
    steps.push_back({rank.trace.steps[i].number, rank.trace.steps[i].time, rank.sums[i]});
  return steps;
}

// The timeline is that of the typical step.
ShownTimeline shown_timeline(const RecordedRank& rank) {
  if (rank.trace.steps.empty()) return {};
  const RecordedStep& step = rank.trace.steps[rank.typical_step];
  ShownTimeline timeline{step.number};
  for (const RecordedSpan& span : rank.trace.spans)
    if (span.step == rank.typical_step) timeline.spans.push_back({span, rank.trace.names[span.name], step.begin});
  return timeline;
}

std::vector<NumberedCollective> numbered_collectives(const RecordedRun& run) {
  std::vector<NumberedCollective> collectives;
  if (!run.alignment) return collectives;
  for (const AlignedCollective& each : run.alignment->collectives)
    collectives.push_back({each, run.ranks.front().trace.steps[each.step].number});
  return collectives;
}

template <class Io>
void describe(Io& io, const ShownSpan& shown) {
  const RecordedSpan& span = shown.span;
  io.word("kind", span.kind);
  io.field("stream", span.stream);
  io.field("name", shown.name);
  io.field("begin_s", span.begin - shown.origin);
  io.field("duration_s", span.duration, kNotNegative);
  io.field_if_any("launch_s", span.launch ? std::optional(*span.launch - shown.origin) : std::nullopt);
  io.field_if_any("collective", span.collective);
}

template <class Io>
void describe(Io& io, const ShownTimeline& timeline) {
  io.field("step", timeline.step);
  io.field_if_any("spans", if_any(timeline.spans));
}

template <class Io>
void describe(Io& io, const NumberedStep& step) {
  io.field("number", step.number);
  io.field("time_s", step.time, kNotNegative);
  io.field("compute_s", step.sums.compute, kNotNegative);
  io.field("collective_s", step.sums.collective, kNotNegative);
  io.field("exposed_s", step.sums.exposed, kNotNegative);
  io.field("overlapped_s", step.sums.overlapped, kNotNegative);
  io.field("copy_s", step.sums.copy, kNotNegative);
  io.field("idle_s", step.sums.idle, kNotNegative);
  io.field("kernels", step.sums.kernels);
  io.field("collectives", step.sums.collectives);
}

template <class Io>
void describe(Io& io, const NumberedCollective& each) {
  describe(io, each.aligned.what);
  io.field("step", each.step);
  io.field("time_s", each.aligned.time);
  io.field("waited_s", each.aligned.waited);
  io.field("last_rank", each.aligned.last_rank, kNotNegative);
}

}  // namespace

template <class Io>
void describe(Io& io, const RecordedCollective& what) {
  describe_collective(io, what);
  io.field_if_any("group", if_any(what.group));
}

template <class Io>
void describe(Io& io, const CollectiveTimes& each) {
  const bool any = !each.times.empty();
  describe(io, each.collective);
  io.field("count", each.times.size());
  io.field("least_s", any ? each.least() : Seconds(), kNotNegative);
  io.field("median_s", any ? each.median() : Seconds(), kNotNegative);
}

template <class Io>
void describe(Io& io, const RecordedRank& rank) {
  io.field("file", rank.trace.file);
  io.field_if_any("rank", rank.trace.rank, kNotNegative);
  io.field_if_any("ranks", rank.trace.world_size, NumberRange{1});
  io.field_if_any("device", if_any(rank.trace.device));
  io.field("host_bound", !rank.sums.empty() && host_bound(rank));
  io.field("steps", numbered_steps(rank));
  io.field_if_any("collectives", if_any(rank.collectives));
  io.field("timeline", shown_timeline(rank));
}

template <class Io>
void describe(Io& io, const CollectiveAlignment& alignment) {
  io.field("disagreement_s", alignment.disagreement, kNotNegative);
}

template <class Io>
void describe(Io& io, const RecordedRun& run) {
  io.field("run", "trace");
  io.field("ranks", run.ranks);
  io.field_if_any("clocks", run.alignment);
  io.field_if_any("collectives", if_any(numbered_collectives(run)));
}

std::string to_json(const RecordedRun& run) { return JsonWriter::text("run", run); }

}  // namespace mlsim::replay

template std::string mlsim::json_schema<mlsim::replay::RecordedRun>();
