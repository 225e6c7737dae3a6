// plan never says no where a published run of the very system says yes; all candidates train to one target.
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "studies/compare/comparison.hpp"
#include "studies/known_figures.hpp"
#include "studies/plan/plan.hpp"
#include "studies/plan/plan_search.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

using System = std::tuple<std::string, int, std::string>;  // topology, accelerators, workload

// The quickest MLPerf run of each system, size and workload.
std::map<System, Case> quickest_runs() {
  std::map<System, Case> quickest;
  for (const Case& c : published_cases()) {
    if (c.metric != Metric::time_to_accuracy || c.publisher != "mlperf" || !c.relative_to.empty()) continue;
    if (c.options.job.recipe.empty() || c.options.job.recipe < "v1.0") continue;
    const auto [known, fresh] = quickest.try_emplace({c.topology, c.accelerators, c.workload}, c);
    if (!fresh && c.value < known->second.value) known->second = c;
  }
  return quickest;
}

// Asks for the candidates alone; what plan says of the chosen one besides changes no choice.
bool says_yes(const Case& run) {
  PlanQuestion question;
  question.job.topology = run.topology;
  question.job.accelerators = std::to_string(run.accelerators);
  question.job.workload = run.workload;
  question.most_accelerators = 1 << 20;
  question.workers = 1;
  question.goal = {Seconds(run.value), {}, 0.9};
  for (const PlanCandidate& candidate : plan_search(question, known()).candidates)
    if (candidate.meets(question.goal)) return true;
  return false;
}

}  // namespace

TEST_CASE("plan says yes to BERT and to a LoRA of Llama 2 70B on one DGX H100, as MLPerf did") {
  int asked = 0;
  for (const auto& [system, run] : quickest_runs()) {
    const auto& [topology, accelerators, workload] = system;
    if (topology != "dgx-h100" || accelerators != 8 || (workload != "bert-large" && workload != "llama2-70b-lora"))
      continue;
    INFO(run.id);
    CHECK(says_yes(run));
    ++asked;
  }
  CHECK(asked == 2);
}

TEST_CASE("plan says yes wherever MLPerf's tables do", "[slow]") {
  int asked = 0;
  for (const auto& [system, run] : quickest_runs()) {
    INFO(run.id << " on " << std::get<0>(system));
    CHECK(says_yes(run));
    ++asked;
  }
  CHECK(asked > 200);
}

TEST_CASE("candidates and columns of one job train to one target") {
  PlanQuestion question;
  question.job.topology = "p4d,p3dn,tpu-v3-32";
  question.job.accelerators = "32";
  question.job.workload = "bert-large";
  std::set<std::string> targets;
  for (const PlanCandidate& candidate : plan_search(question, known()).candidates) targets.insert(candidate.target);
  CHECK(targets.size() == 1);
  std::vector<ComparedQuestion> columns;
  for (const char* topology : {"p4d", "p3dn", "tpu-v3-32"}) {
    QuestionText words;
    words.topology = topology;
    words.workload = "bert-large";
    columns.push_back({topology, request_of(words, known())});
  }
  CHECK(!compare(columns).targets_differ);
  columns.back().request.options.job.recipe = "v0.7-lamb";
  columns.front().request.options.job.recipe = "v1.0-lamb";
  CHECK(compare(columns).targets_differ);  // what is said is asked
}
