#include "validation/questions/goal.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "workloads/convergence/convergence.hpp"

namespace mlsim::validation {
namespace {

bool is_predicted(const CaseResult& r) { return !r.rate_given(); }

bool is_mlperf_from_v07(const CaseResult& r) {
  const auto round = mlperf_round(r.what.options.software.stack);
  return is_predicted(r) && round && *round >= 0.7;
}

bool is_batch_changed(const CaseResult& r) {
  if (!r.trust) return false;
  const auto& quantities = r.trust->why.quantities;
  return std::any_of(quantities.begin(), quantities.end(), [](const auto& q) { return q.name == "batch_ratio"; });
}

bool is_of_anchors_batch(const CaseResult& r) { return is_predicted(r) && !is_batch_changed(r); }

// These are the tables of GPT's steps; those of MLPerf, Llama and GShard are others.
bool is_language_step(const CaseResult& r) {
  const std::string table = r.what.place.substr(0, r.what.place.find(':'));
  return table == "llm_training.csv" || table == "llm_training_selective.csv";
}

bool is_nccl_sweep(const CaseResult& r) { return r.what.publisher == "nccl"; }

}  // namespace

const std::vector<Goal>& goals() {
  static const Interval around_90{0.85, 0.95};
  using enum Metric;
  static const std::vector<Goal> all = {
      {"as asked", "throughput", throughput, is_predicted, 0.08, 0.35, around_90},
      {"as asked", "MLPerf times from v0.7 on", time_to_accuracy, is_mlperf_from_v07, 0.04, 0.18, around_90},
      {"own hidden", "throughput", throughput, is_predicted, 0.15, 0.50, {}},
      {"table hidden", "throughput", throughput, is_predicted, 0.15, 0.50, {}},
      {"earlier rounds", "throughput", throughput, is_predicted, 0.07, 0.18, {}},
      {"one box", "throughput", throughput, is_predicted, 0.05, 0.20, {}},
      {"in the table", "throughput at the anchor's batch", throughput, is_of_anchors_batch, 0.03, 0.10, {}},
      {"in the table", "throughput at another batch", throughput, is_batch_changed, 0.04, 0.15, {}},
      {"in the table", "steps of GPT, most without anchors", step_time, is_language_step, 0.20, 0.50, {}},
      {"in the table", "lone all-reduce of NCCL, as a step plans it", all_reduce_time, is_nccl_sweep, 0.08, 0.25, {}},
  };
  return all;
}

std::vector<GoalScore> goal_scores(const std::string& question, const std::vector<CaseResult>& answers) {
  std::vector<GoalScore> scores;
  for (const Goal& goal : goals()) {
    if (goal.question != question) continue;
    std::vector<CaseResult> counted;
    std::copy_if(answers.begin(), answers.end(), std::back_inserter(counted),
                 [&](const CaseResult& r) { return goal.counts(r); });
    const GroupScore score = overall(counted, goal.metric);
    scores.push_back({goal, score.error, score.coverage});
  }
  return scores;
}

}  // namespace mlsim::validation
