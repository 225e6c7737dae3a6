#include "replay/validation/trace_validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "core/text/errors.hpp"

namespace mlsim::replay {
namespace {

// Below it a collective's time is its latency, and noise.
constexpr Bytes kLeastJudged{1e6};

SplitStep split_of(const RecordedRank& rank) { return {rank.trace.steps.front().time, rank.sums.front()}; }

void check_steps(const RecordedRun& run) {
  for (const RecordedRank& rank : run.ranks)
    if (!(rank.trace.steps[rank.typical_step].time > Seconds(0)))
      throw InputError(rank.trace.file,
                       "its step takes no time, of which no replay can be a share too long or too short");
}

// Parts of all-to-alls differ between ranks, and a rank records its own alone.
bool of_one_size(CollectiveKind kind) { return kind != CollectiveKind::all_to_all; }

std::vector<CollectiveReplay> collectives_of(const RecordedRun& run, const Replay& replay) {
  std::vector<CollectiveReplay> all;
  const RankTrace& trace = run.ranks.front().trace;
  for (const RecordedSpan& span : trace.spans) {
    if (span.step != replay.step() || !span.collective) continue;
    if (span.collective->kind == CollectiveKind::send_receive) continue;
    const Seconds time = replay.recorded_time(0, span).of_itself;
    const auto same = [&](const CollectiveReplay& each) { return each.what == *span.collective; };
    auto found = std::find_if(all.begin(), all.end(), same);
    if (found == all.end()) found = all.insert(all.end(), {*span.collective, 0, time, {}, false});
    ++found->count;
    found->least = min(found->least, time);
  }
  return all;
}

template <class Replayed, class Error>
double worst(const std::vector<Replayed>& all, Error error) {
  double found = 0;
  for (const Replayed& each : all)
    if (std::abs(error(each)) > std::abs(found)) found = error(each);
  return found;
}

// A collective whose group nobody knows is replayed with all ranks, which may be too many.
void check_groups(TraceValidation& validation, const RankGroups& groups) {
  std::map<int, std::size_t> unsure;
  for (const CollectiveReplay& each : validation.collectives) {
    const int size = each.what.group_size;
    if (size > groups.ranks())
      throw InputError(
          fmt::format("{} of a group of {} ranks, in a job of {}", name(each.what.kind), size, groups.ranks()));
    if (groups.ranks() > 1 && (size == 0 || !groups.divides(size))) unsure[size] += each.count;
  }
  for (const auto& [size, count] : unsure)
    validation.warnings.push_back(
        size == 0
            ? fmt::format("the file does not say the groups of {} collectives, which are taken to be of all {} ranks",
                          count, groups.ranks())
            : fmt::format("groups of {} ranks do not divide the job's {}: {} collectives wait for all ranks, and "
                          "keep their recorded times",
                          size, groups.ranks(), count));
}

void add_ranks(TraceValidation& validation, const RecordedRun& run, const Replay& replay, const RecordedRun& own,
               const std::optional<RecordedRun>& simulated) {
  for (std::size_t r = 0; r < run.ranks.size(); ++r) {
    const RecordedRank& rank = run.ranks[r];
    RankReplay each;
    each.rank = rank.trace.rank.value_or(static_cast<int>(r));
    each.host_bound = host_bound(rank);
    each.recorded = {replay.recorded_step(r), rank.sums[replay.step()]};
    each.own = split_of(own.ranks[r]);
    if (simulated) each.simulated = split_of(simulated->ranks[r]);
    each.unexplained = replay.unexplained(r);
    for (const RecordedSpan& span : rank.trace.spans)
      if (span.step == replay.step()) each.waiting += replay.recorded_time(r, span).waiting;
    validation.ranks.push_back(std::move(each));
  }
}

void add_model_and_what_if(TraceValidation& validation, const RecordedRun& run, const Replay& replay,
                           const TraceQuestion& question, int ranks) {
  TraceWhatIf asked = question.what_if;
  if (const auto& model = question.model) {
    if (question.topology.empty()) throw InputError("--topology", "is needed for what laws say of the model");
    validation.by_laws = predicted_step_time(*model, model->batch, question.topology, ranks, question.profiles);
    if (model->other_batch) asked.compute = compute_ratio(*model, question.topology, question.profiles);
  }
  if (asked.any())
    validation.what_if = what_if_step(run, replay, asked, question.topology, question.options, question.profiles);
}

}  // namespace

double TraceValidation::own_error() const {
  if (!pipeline.empty()) return worst(pipeline, [](const ReplayedStep& step) { return step.error(); });
  return worst(ranks, [](const RankReplay& rank) { return rank.own.time / rank.recorded.time - 1; });
}

double TraceValidation::simulated_error() const {
  return worst(ranks, [](const RankReplay& rank) { return rank.simulated->time / rank.recorded.time - 1; });
}

std::size_t TraceValidation::collectives_missed() const {
  return static_cast<std::size_t>(std::count_if(collectives.begin(), collectives.end(), [&](const auto& each) {
    return each.judged && std::abs(each.error()) > bound;
  }));
}

TraceValidation validate_trace(const RecordedRun& run, const TraceQuestion& question) {
  check_steps(run);
  const int ranks = question.ranks > 0 ? question.ranks : job_ranks(run);
  std::optional<CollectivePricer> pricer;
  if (!question.topology.empty()) pricer.emplace(question.topology, ranks, question.options, question.profiles);
  const Replay replay(run, pricer ? pricer->cluster().accelerators_per_node : 0);
  TraceValidation validation{question.topology, question.bound, {}, collectives_of(run, replay)};
  validation.warnings = run_warnings(run);
  check_groups(validation, replay.groups());
  add_model_and_what_if(validation, run, replay, question, ranks);
  std::optional<RecordedRun> simulated;
  if (pricer) {
    for (CollectiveReplay& each : validation.collectives) {
      each.simulated = pricer->price(each.what, replay.groups());
      each.judged = each.simulated && *each.what.payload >= kLeastJudged && of_one_size(each.what.kind);
    }
    const auto price = [&](const RecordedCollective& what) -> std::optional<Seconds> {
      const auto found = pricer->price(what, replay.groups());
      return found ? std::optional(found->time) : std::nullopt;
    };
    ReplayChange change;
    change.collective = price;
    simulated = replay.replayed(change);
  }
  add_ranks(validation, run, replay, replay.replayed(), simulated);
  return validation;
}

TraceValidation validate_pipeline(const PipelineRecord& record, double bound) {
  TraceValidation validation;
  validation.bound = bound;
  validation.pipeline = replayed_steps(record, std::filesystem::path(record.file).stem().string());
  return validation;
}

int exit_status(const TraceValidation& validation) {
  if (std::abs(validation.own_error()) > validation.bound) return 1;
  if (validation.topology.empty()) return 0;
  return std::abs(validation.simulated_error()) > validation.bound || validation.collectives_missed() > 0 ? 1 : 0;
}

}  // namespace mlsim::replay
