// Steps of two LLM jobs that ran, simulated from the times of their operations.
#include "replay/pipeline/replayed_pipeline.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "core/quantile.hpp"
#include "sim/stragglers/closed_steps.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

const PublishedPipeline& published(std::size_t at) {
  static const std::vector<PublishedPipeline> all = published_pipelines();
  return all.at(at);
}
const PublishedPipeline& on_64() { return published(0); }
const PublishedPipeline& on_8() { return published(1); }

Seconds median_time(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return Seconds(quantile(seconds, 0.5));
}

double largest_error(const std::vector<ReplayedStep>& rows) {
  double largest = 0;
  for (const ReplayedStep& row : rows) largest = std::max(largest, std::abs(row.error()));
  return largest;
}

// One pipeline of the stages' healthy workers: the median of each operation over the data ranks but for `worker`.
std::vector<Seconds> healthy_durations(const PipelineSize& size, const PipelineGraph& all, const PipelineGraph& one,
                                       const PipelineStep& step, int worker) {
  const std::vector<Seconds> recorded = recorded_durations(all, step);
  std::vector<Seconds> healthy;
  for (const PipelineNode& node : one.nodes) {
    std::vector<double> times;
    for (std::size_t v = 0; v < recorded.size(); ++v) {
      const PipelineNode& other = all.nodes[v];
      if (other.what == node.what && other.op == node.op && other.micro_batch == node.micro_batch &&
          size.stage(other.worker) == node.worker && other.worker != worker)
        times.push_back(recorded[v].value);
    }
    // A collective is recorded once for its data ranks.
    if (times.empty())
      for (std::size_t v = 0; v < recorded.size(); ++v)
        if (all.nodes[v].what == node.what && all.nodes[v].op == node.op &&
            size.stage(all.nodes[v].worker) == node.worker)
          times.push_back(recorded[v].value);
    healthy.push_back(times.empty() ? Seconds(0) : median_time(std::move(times)));
  }
  return healthy;
}

// The step with one worker `slowdown` times as slow as the others of its stage were, by sim/stragglers: every operation
// takes the median of the healthy workers of its stage, of all but `worker`.
Seconds slow_rank_step_time(const PipelineSize& size, const PipelineStep& step, int worker, double slowdown) {
  const PipelineGraph all = pipeline_graph(size);
  const ReplayedPipeline one({1, size.stages, size.micro_batches});
  const std::vector<Seconds> durations = healthy_durations(size, all, one.graph(), step, worker);
  std::vector<int> roles;
  for (int w = 0; w < size.workers(); ++w) roles.push_back(size.stage(w));
  const auto groups = [&](AxisSet, int role) {
    std::vector<std::vector<int>> found;
    if (role >= 0) found.emplace_back();
    for (int d = 0; d < size.data_ranks; ++d) {
      if (role < 0) found.emplace_back();
      for (int s = 0; s < size.stages; ++s)
        if (role < 0 || s == role) found.back().push_back(size.worker(d, s));
    }
    return found;
  };
  const ClosedSteps steps(one.order(), durations, size.workers(), roles, groups);
  std::vector<RankDelay> ranks(static_cast<std::size_t>(size.workers()));
  ranks[static_cast<std::size_t>(worker)].slowdown = slowdown;
  return steps.end(ranks);
}

}  // namespace

TEST_CASE("two recorded LLM jobs come with mlsim") {
  CHECK(on_64().name == "LLM on 64 accelerators");
  CHECK(on_64().record.size.data_ranks == 4);
  CHECK(on_64().record.size.stages == 4);
  CHECK(on_64().record.size.micro_batches == 32);
  CHECK(on_8().record.size.data_ranks == 2);
  CHECK(on_8().record.size.micro_batches == 4);
}

TEST_CASE("each step of both LLM jobs is simulated within 2 % from its operations' times") {
  for (const PublishedPipeline* job : {&on_64(), &on_8()}) {
    INFO(job->name);
    const auto rows = replayed_steps(job->record, job->name);
    for (const auto& row : rows)
      UNSCOPED_INFO(row.step << ": " << row.recorded.value << " s, " << row.simulated.value << " s, "
                             << row.formula.value << " s");
    CHECK(rows.size() == job->record.steps.size());
    CHECK(largest_error(rows) < 0.02);
    CHECK(largest_error(rows) > 0.001);  // launches are not in the operations' times
  }
}

TEST_CASE("the closed formula of 1F1B is within 4 % of the recorded steps, an answer beside the simulated one") {
  for (const PublishedPipeline* job : {&on_64(), &on_8()}) {
    for (const ReplayedStep& row : replayed_steps(job->record, job->name)) {
      INFO(row.run << " " << row.step);
      CHECK(row.formula / row.recorded == Approx(1).epsilon(0.04));
      CHECK(row.formula / row.simulated == Approx(1).epsilon(0.04));
    }
  }
}

TEST_CASE("healthy workers' times and slow_rank of 2.4 give the slow job's step within 5 %, without it about half") {
  const PipelineSize& size = on_64().record.size;
  for (const PipelineStep& step : on_64().record.steps) {
    INFO(step.number);
    CHECK(slow_rank_step_time(size, step, 0, 2.4) / step.time() == Approx(1).epsilon(0.05));
    const double healthy = slow_rank_step_time(size, step, 0, 1) / step.time();
    CHECK(healthy > 0.4);
    CHECK(healthy < 0.55);
  }
}
