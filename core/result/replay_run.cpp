#include "core/result/replay_run.hpp"

#include <fmt/format.h>

#include <set>

#include "core/profile/statistics_json.hpp"
#include "core/text/errors.hpp"
#include "core/text/json_reader.hpp"
#include "core/text/json_writer.hpp"

namespace mlsim {
namespace {

constexpr int kReplaySchema = 1;
constexpr NumberRange kAtLeastOne{1};

void check_spans(const ReplayRun& run, const std::set<int>& vertices, const std::string& file) {
  for (std::size_t r = 0; r < run.ranks.size(); ++r) {
    const auto& steps = run.ranks[r].steps;
    const std::string rank = fmt::format("ranks[{}]", r);
    if (steps.size() != run.step_times.size())
      throw InputError(file,
                       fmt::format("{} has {} steps and step_times_s {}", rank, steps.size(), run.step_times.size()));
    for (const auto& step : steps) {
      for (const ReplaySpan& span : step) {
        if (!vertices.contains(span.vertex))
          throw InputError(file, fmt::format("{} runs node {}, which nodes does not have", rank, span.vertex));
        if (span.end < span.begin)
          throw InputError(file, fmt::format("{} ends node {} before it begins", rank, span.vertex));
      }
    }
  }
}

void check_run(const ReplayRun& run, const std::string& file) {
  if (run.hosts.empty()) throw InputError(file, "hosts names no host");
  if (run.ranks.size() != run.hosts.size() || run.clocks.size() != run.hosts.size())
    throw InputError(file, fmt::format("has {} hosts, {} ranks and {} clocks; each rank has one of each",
                                       run.hosts.size(), run.ranks.size(), run.clocks.size()));
  std::set<int> vertices;
  for (const ReplayNode& node : run.nodes)
    if (!vertices.insert(node.vertex).second)
      throw InputError(file, fmt::format("nodes has node {} twice", node.vertex));
  check_spans(run, vertices, file);
}

}  // namespace

template <class Io>
void describe(Io& io, ReplayOrder& order) {
  io.field("workload", order.workload);
  io.field("batch", order.batch, kAtLeastOne);
  io.field("stages", order.stages, kAtLeastOne);
  io.field("micro_batches", order.micro_batches, kAtLeastOne);
  io.word("update", order.update);
  io.field("optimizer", order.optimizer);
  io.field("bucket_bytes", order.bucket, kPositive);
  io.field("first_bucket_bytes", order.first_bucket, kPositive);
  io.field("overlap", order.overlap);
  io.field("library", order.backend);
  io.field("steps", order.steps, kAtLeastOne);
  io.field("warm_up", order.warm_up, NumberRange{0});
  io.field("threads", order.threads, kAtLeastOne);
}

template <class Io>
void describe(Io& io, ReplayNode& node) {
  io.field("vertex", node.vertex, NumberRange{0});
  io.field("name", node.name);
  io.field("stream", node.stream);
  io.field("part", node.part);
  io.field("stage", node.stage, NumberRange{0});
  io.field("exchange", node.exchange);
  io.field("payload_bytes", node.payload, kNotNegative);
  io.field("alone_s", node.alone, kNotNegative);
  io.field("in_step_s", node.in_step, kNotNegative);
}

template <class Io>
void describe(Io& io, ReplaySpan& span) {
  io.field("vertex", span.vertex, NumberRange{0});
  io.field("begin_s", span.begin);
  io.field("end_s", span.end);
}

template <class Io>
void describe(Io& io, ReplayRankSteps& rank) {
  io.field("steps", rank.steps);
}

template <class Io>
void describe(Io& io, ReplayClock& clock) {
  io.field("lead_s", clock.lead);
  io.field("drift", clock.drift);
  io.field("error_s", clock.error, kNotNegative);
}

template <class Io>
void describe(Io& io, SampleStatistics& time) {
  describe_statistics(io, time);
}

template <class Io>
void describe(Io& io, ReplayRun& run) {
  int schema = kReplaySchema;
  io.field("replay_schema", schema, NumberRange{kReplaySchema, kReplaySchema});
  io.field("order", run.order);
  io.field("time", run.time);
  io.field("environment", run.environment);
  io.field("hosts", run.hosts);
  io.word("numbers", run.numbers);
  io.field("weights_error", run.weights_error, kNotNegative);
  io.field("step_time", run.step_time);
  io.field("step_times_s", run.step_times);
  io.field("clocks", run.clocks);
  io.field("nodes", run.nodes);
  io.field("ranks", run.ranks);
}

std::string to_line(const ReplayOrder& order) { return JsonWriter::line("order", order); }
std::string to_line(const ReplayRun& run) { return JsonWriter::line("run", run); }
std::string to_json(const ReplayRun& run) { return JsonWriter::text("run", run); }

ReplayOrder replay_order_from_line(const std::string& line, const std::string& place) {
  return described<ReplayOrder>(parse_json(line, place), place);
}

ReplayRun replay_run_from_json(const std::string& text, const std::string& file) {
  ReplayRun run = described<ReplayRun>(parse_json(text, file), file);
  check_run(run, file);
  return run;
}

}  // namespace mlsim
