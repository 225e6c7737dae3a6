#include "replay/validation/trace_validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "validation/cases/cases.hpp"

namespace mlsim::replay {
namespace {

Prediction prediction_of(const TraceModel& model, double batch, const std::string& topology, int ranks,
                         const SharedList<Profile>& profiles) {
  PredictRequest request;
  request.topology = topology;
  request.workload = model.workload;
  request.accelerators = ranks;
  request.batch_per_accelerator = batch;
  request.precision = model.precision;
  request.fidelity = Fidelity::closed;
  request.options.job.goal = JobGoal::step;
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
  const int ranks = asked.ranks > 0 ? asked.ranks : replay.groups().ranks();
  if ((asked.ranks > 0 || !asked.topology.empty()) && topology.empty())
    throw InputError("--topology", "is needed for a what-if of the network: the system that it was recorded on");
  if (asked.ranks > 0 && run.ranks.size() > 1)
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

std::string what_if_text(const TraceWhatIf& asked) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (asked.ranks > 0) add(fmt::format("{} ranks", asked.ranks));
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

WhatIfStep what_if_step(const RecordedRun& run, const Replay& replay, const TraceWhatIf& asked,
                        const std::string& topology, const Options& options, const SharedList<Profile>& profiles) {
  check_what_if(run, replay, asked, topology);
  WhatIfStep answer{what_if_text(asked), {}, {}};
  if (topology.empty()) {
    answer.before = step_of(replay, nullptr, replay.groups(), {}, 1);
    answer.after = step_of(replay, nullptr, replay.groups(), asked.slowdowns, asked.compute);
    return answer;
  }
  const int ranks = asked.ranks > 0 ? asked.ranks : replay.groups().ranks();
  CollectivePricer before(topology, replay.groups().ranks(), options, profiles);
  CollectivePricer after(asked.topology.empty() ? topology : asked.topology, ranks, options, profiles);
  const RankGroups groups(ranks, after.cluster().accelerators_per_node, group_sizes(run));
  answer.before = step_of(replay, &before, replay.groups(), {}, 1);
  answer.after = step_of(replay, &after, groups, asked.slowdowns, asked.compute);
  return answer;
}

}  // namespace mlsim::replay
