// Steps of two LLM jobs that ran, simulated from the times of their operations.
#include "replay/pipeline/replayed_pipeline.hpp"

#include <cmath>

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

const PublishedPipeline& published(std::size_t at) {
  static const std::vector<PublishedPipeline> all = published_pipelines();
  return all.at(at);
}
const PublishedPipeline& on_64() { return published(0); }
const PublishedPipeline& on_8() { return published(1); }

double largest_error(const std::vector<ReplayedStep>& rows) {
  double largest = 0;
  for (const ReplayedStep& row : rows) largest = std::max(largest, std::abs(row.error()));
  return largest;
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
