#include "replay/execution/replay_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "calibrate/measure.hpp"
#include "calibrate/sample_statistics.hpp"
#include "replay/execution/learnt_network.hpp"
#include "replay/execution/node_exchanges.hpp"
#include "replay/execution/node_times.hpp"
#include "replay/execution/rank_step.hpp"

namespace mlsim::replay {
namespace {

// OwnSteps are a rank's own steps, before anybody else has seen them.
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

// An exchange fails where another rank has died: mpirun has this time to name that one.
constexpr std::chrono::seconds kPatience(2);
// Weights are fp32, summed up in another order.
constexpr double kWeightsTolerance = 1e-4;

// Returns the largest difference between the ranks' weights after a step and those of one rank on the joined batch,
// over the largest weight.
double weights_error(const ReplayOrder& order, calibrate::World& world, RankStep& step, LearntNetwork& network) {
  // The next step pulls what servers have updated.
  for (int i = 0; i < (order.update == ReplayUpdate::servers ? 2 : 1); ++i) {
    world.barrier();
    step.run(StepExtent::whole);
  }
  std::string bytes;
  calibrate::agreed_step(world, [&] {
    if (world.rank() != 0) return;
    const std::vector<float> joined = joined_weights(order, world.ranks());
    bytes.assign(reinterpret_cast<const char*>(joined.data()), joined.size() * sizeof(float));
  });
  bytes = world.from_root(bytes);
  const std::vector<float> own = network.weights();
  std::vector<float> joined(bytes.size() / sizeof(float));
  std::memcpy(joined.data(), bytes.data(), bytes.size());
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    difference = std::max(difference, std::abs(double(own[i]) - double(joined[i])));
    largest = std::max(largest, std::abs(double(joined[i])));
  }
  const double error = world.largest(largest > 0 ? difference / largest : difference);
  if (!(error <= kWeightsTolerance))
    throw std::runtime_error(fmt::format("the ranks' weights differ by {:.2g} from those of one rank", error));
  return error;
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

// Times count from the beginning of each step, which is that of its first span.
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

ReplayRun replayed(const ReplayOrder& order, const ReplayPlan& plan, calibrate::World& world,
                   calibrate::Communicator& library) {
  const int rank = world.rank(), stage = plan.stage_of(rank);
  std::unique_ptr<LearntNetwork> network;
  std::unique_ptr<NodeKernels> operands;
  RankStep::Exchanges exchanges;
  calibrate::agreed_step(world, [&] {
    if (LearntNetwork::learns(plan))
      network = std::make_unique<LearntNetwork>(plan, rank, world.ranks(), order.threads);
    else
      operands = own_operands(plan, rank, world.ranks(), order.threads);
    exchanges = node_exchanges(plan, rank, world.ranks(), library);
  });
  NodeKernels& kernels = network ? static_cast<NodeKernels&>(*network) : *operands;
  RankStep step(plan, stage, kernels, exchanges, [&](const std::string& why) {
    std::this_thread::sleep_for(kPatience);
    world.abort(fmt::format("rank {} of {} failed in the middle of a step: {}", rank, world.ranks(), why));
  });
  ReplayRun run;
  if (network) {
    run.numbers = ReplayNumbers::learnt;
    run.weights_error = weights_error(order, world, step, *network);
  }
  RankClock clock(world);
  const OwnSteps own = own_steps(order, world, step);
  clock.compare_again();
  const auto whole = gathered_spans(world, own.whole, clock), alone = gathered_spans(world, own.kernels, clock),
             exchanged = gathered_spans(world, own.exchanges, clock);
  run.order = order;
  run.clocks = clock.gathered();
  run.step_times = step_times(whole);
  run.step_time = calibrate::sample_statistics(run.step_times);
  run.nodes = node_times(plan.graph, {whole, alone, exchanged});
  run.ranks = since_begin(whole);
  return run;
}

}  // namespace mlsim::replay
