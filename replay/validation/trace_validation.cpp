#include "replay/validation/trace_validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "validation/cases/cases.hpp"

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
    validation.what_if = what_if_steps(run, replay, asked, question.topology, question.options, question.profiles);
}

Prediction prediction_of(const TraceModel& model, double batch, const std::string& topology, int ranks,
                         const SharedList<Profile>& profiles) {
  PredictRequest request;
  request.topology = topology;
  request.workload = model.workload;
  request.accelerators = ranks;
  request.batch_per_accelerator = batch;
  request.precision = model.precision;
  request.fidelity = Fidelity::closed;
  request.builtin_profiles = profiles;
  request.anchors = validation::published_anchors();
  return predict(request);
}

void refuse_host_bound(const RecordedRun& run) {
  for (const RecordedRank& rank : run.ranks)
    if (host_bound(rank))
      throw Infeasible(fmt::format(
          "{}: the step is bound by the host: its accelerator is idle for {:.1f} ms, longer than it computes, and what "
          "the host would do otherwise is not recorded; only without a what-if can it be replayed",
          rank.trace.file, 1e3 * rank.sums[rank.typical_step].idle.value));
}

void check_what_if(const RecordedRun& run, const Replay& replay, const TraceWhatIf& asked,
                   const std::string& topology) {
  const int ranks = asked.ranks.empty() ? replay.groups().ranks() : std::ranges::min(asked.ranks);
  if ((!asked.ranks.empty() || !asked.topology.empty()) && topology.empty())
    throw InputError("--topology", "is needed for a what-if of the network: the system that it was recorded on");
  if (!asked.ranks.empty() && run.ranks.size() > 1)
    throw InputError(
        "--ranks", fmt::format("needs the file of one rank, which stands for its job; here are {}", run.ranks.size()));
  for (const auto& [rank, slowdown] : asked.slowdowns)
    if (rank >= ranks)
      throw InputError("--set slow_rank=" + std::to_string(rank), fmt::format("the job has ranks 0 to {}", ranks - 1));
  if (!asked.topology.empty()) {
    const std::string there = accelerator_of(asked.topology), here = accelerator_of(topology);
    if (there != here)
      throw InputError("--instead", fmt::format("has {}, and the step was recorded on {}: kernels keep their own times",
                                                there, here));
  }
  refuse_host_bound(run);
}

std::string what_if_text(const TraceWhatIf& asked, int ranks) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (!asked.ranks.empty()) add(fmt::format("{} ranks", ranks));
  if (!asked.topology.empty()) add("on " + asked.topology);
  for (const auto& [rank, slowdown] : asked.slowdowns)
    add(fmt::format("rank {} at {:.3g} of its speed", rank, 1 / slowdown));
  if (asked.compute != 1) add(fmt::format("kernels x {:.3f}", asked.compute));
  return text;
}

// Groups of all recorded ranks are of all ranks still.
RecordedCollective in_job(RecordedCollective what, const RankGroups& recorded) {
  if (recorded.group_size(what.group_size) == recorded.ranks()) what.group_size = 0;
  return what;
}

Seconds step_of(const Replay& replay, CollectivePricer* pricer, const RankGroups& groups,
                const std::map<int, double>& slowdowns, double compute) {
  ReplayChange change;
  change.compute = compute;
  change.slowdowns = slowdowns;
  if (pricer != nullptr)
    change.collective = [&, pricer](const RecordedCollective& what) -> std::optional<Seconds> {
      const auto found = pricer->price(in_job(what, replay.groups()), groups);
      return found ? std::optional(found->time) : std::nullopt;
    };
  return replay.replayed(change).ranks.front().trace.steps.front().time;
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

Seconds predicted_step_time(const TraceModel& model, double batch, const std::string& topology, int ranks,
                            const SharedList<Profile>& profiles) {
  return prediction_of(model, batch, topology, ranks, profiles).step.time;
}

double compute_ratio(const TraceModel& model, const std::string& topology, const SharedList<Profile>& profiles) {
  const auto kernels = [&](double batch) {
    const Prediction prediction = prediction_of(model, batch, topology, 1, profiles);
    return prediction.step.compute + prediction.step.optimizer;
  };
  return kernels(*model.other_batch) / kernels(model.batch);
}

std::vector<WhatIfStep> what_if_steps(const RecordedRun& run, const Replay& replay, const TraceWhatIf& asked,
                                      const std::string& topology, const Options& options,
                                      const SharedList<Profile>& profiles) {
  check_what_if(run, replay, asked, topology);
  const int recorded = replay.groups().ranks();
  if (topology.empty())
    return {{what_if_text(asked, recorded), recorded, step_of(replay, nullptr, replay.groups(), {}, 1),
             step_of(replay, nullptr, replay.groups(), asked.slowdowns, asked.compute)}};
  CollectivePricer before(topology, recorded, options, profiles);
  const Seconds without = step_of(replay, &before, replay.groups(), {}, 1);
  std::vector<WhatIfStep> steps;
  for (const int ranks : asked.ranks.empty() ? std::vector<int>{recorded} : asked.ranks) {
    CollectivePricer after(asked.topology.empty() ? topology : asked.topology, ranks, options, profiles);
    const RankGroups groups(ranks, after.cluster().accelerators_per_node, group_sizes(run));
    steps.push_back(
        {what_if_text(asked, ranks), ranks, without, step_of(replay, &after, groups, asked.slowdowns, asked.compute)});
  }
  return steps;
}

}  // namespace mlsim::replay
