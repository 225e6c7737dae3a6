#include "replay/execution/replay_session.hpp"

#include <fmt/format.h>

#include "calibrate/measure.hpp"
#include "calibrate/sample_statistics.hpp"
#include "replay/execution/gathered_spans.hpp"
#include "replay/execution/node_exchanges.hpp"
#include "replay/execution/node_times.hpp"
#include "replay/execution/rank_step.hpp"

namespace mlsim::replay {
namespace {

// A rank's own steps, before anybody else has seen them.
struct OwnSteps {
  StepSpans whole, kernels, exchanges;
};

OwnSteps own_steps(const ReplayOrder& order, calibrate::World& world, RankStep& step) {
  const auto timed = [&](StepExtent extent) {
    world.barrier();
    return step.run(extent);
  };
  for (int i = 0; i < order.warm_up; ++i) timed(StepExtent::whole);
  OwnSteps own;
  for (int i = 0; i < order.steps; ++i) {
    own.whole.push_back(timed(StepExtent::whole));
    own.kernels.push_back(timed(StepExtent::kernels));
    own.exchanges.push_back(timed(StepExtent::exchanges));
  }
  world.barrier();
  return own;
}

std::vector<Seconds> step_times(const std::vector<StepSpans>& by_rank) {
  std::vector<Seconds> times;
  for (std::size_t s = 0; s < by_rank.front().size(); ++s) {
    Seconds begin(1e300), end(-1e300);
    for (const StepSpans& rank : by_rank) {
      for (const ReplaySpan& span : rank[s]) {
        begin = min(begin, span.begin);
        end = max(end, span.end);
      }
    }
    times.push_back(end - begin);
  }
  return times;
}

// From the beginning of each step, which is that of its first span.
std::vector<ReplayRankSteps> since_begin(std::vector<StepSpans> by_rank) {
  std::vector<ReplayRankSteps> ranks(by_rank.size());
  for (std::size_t s = 0; s < by_rank.front().size(); ++s) {
    Seconds begin(1e300);
    for (const StepSpans& rank : by_rank)
      for (const ReplaySpan& span : rank[s]) begin = min(begin, span.begin);
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      auto& spans = ranks[r].steps.emplace_back(std::move(by_rank[r][s]));
      for (ReplaySpan& span : spans) span = {span.vertex, span.begin - begin, span.end - begin};
    }
  }
  return ranks;
}

}  // namespace

ReplayRun replayed(const ReplayOrder& order, const ReplayPlan& plan, calibrate::World& world, NodeKernels& kernels,
                   calibrate::Communicator& library) {
  const int rank = world.rank(), stage = plan.stage_of(rank);
  RankStep::Exchanges exchanges;
  calibrate::agreed_step(world, [&] { exchanges = node_exchanges(plan, rank, world.ranks(), library); });
  RankStep step(plan, stage, kernels, exchanges, [&](const std::string& why) {
    world.abort(fmt::format("rank {} of {} failed in the middle of a step: {}", rank, world.ranks(), why));
  });
  RankClock clock(world);
  const OwnSteps own = own_steps(order, world, step);
  clock.compare_again();
  const auto whole = gathered_spans(world, own.whole, clock), alone = gathered_spans(world, own.kernels, clock),
             exchanged = gathered_spans(world, own.exchanges, clock);

  ReplayRun run;
  run.order = order;
  run.clocks = clock.gathered();
  run.step_times = step_times(whole);
  run.step_time = calibrate::sample_statistics(run.step_times);
  run.nodes = node_times(plan.graph, {whole, alone, exchanged});
  run.ranks = since_begin(whole);
  return run;
}

}  // namespace mlsim::replay
