#include "studies/plan/plan_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/profile/collective_name.hpp"
#include "core/result/length_setting.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/option_rules.hpp"
#include "studies/common_target.hpp"
#include "studies/sweep/sweep_grid.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "validation/cases/answers.hpp"
#include "validation/cases/cases.hpp"
#include "workloads/convergence/convergence.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::studies {
namespace {

// A `SizedSystem` is a system at one size, with what was answered of it.
struct SizedSystem {
  PredictRequest request;
  std::optional<PlanCandidate> best;
  std::optional<std::string> refusal;
};

// A plan is of a job. Throws InputError where nothing says how long it trains.
void check_has_end(const PredictRequest& request) {
  if (names_collective(request.workload)) throw InputError("--workload", "a collective is no job to plan for");
  if (request.options.job.has_length()) return;
  const Model model = load_model(request.workload);
  if (model.benchmark.empty())
    throw InputError("--workload", fmt::format("nothing is known of the convergence of {}: --set {}=N says how long it "
                                               "trains",
                                               model.name, length_setting(model.tokens > 0)));
}

class Search {
 public:
  Search(const PlanQuestion& question, const KnownFigures& known) : question_(question) {
    QuestionText one = question.job;  // of the lists nothing
    one.topology.clear();
    one.accelerators.clear();
    for (const auto& [key, word] : question_words()) check_value(key, one.*word);
    PredictRequest request = request_of(one, known);
    request.memory_margin = question.memory_margin;
    request.one_of_many = true;
    check_has_end(request);
    PlanSystems systems = plan_systems(question, request.options.price);
    left_out_ = std::move(systems.left_out);
    for (const SystemSize& size : systems.sizes) {
      request.topology = size.system;
      request.accelerators = size.accelerators;
      sized_.push_back({request, {}, {}});
    }
  }

  PlanSearch run() {
    std::vector<SizedSystem*> all;
    for (SizedSystem& sized : sized_) all.push_back(&sized);
    ask(all);
    to_one_target();
    return result();
  }

 private:
  void ask(const std::vector<SizedSystem*>& sized) {
    validation::AnswerOptions options;
    options.workers = question_.workers;
    options.activity = "answering systems and sizes";
    options.name = [&](std::size_t i) {
      return fmt::format("{} accelerators of {}", sized[i]->request.accelerators, sized[i]->request.topology);
    };
    options.say = question_.say;
    const auto question = [&](std::size_t i) {
      check_combinations(sized[i]->request.options);
      return sized[i]->request;
    };
    const auto found = validation::answers(
        sized.size(), question, [](const PredictRequest& request) { return predict(request); }, options);
    for (std::size_t i = 0; i < found.size(); ++i)
      if (std::string refusal = refused(*sized[i], found[i]); !refusal.empty()) sized[i]->refusal = std::move(refusal);
  }

  // Candidates that train to another target than that of the newest recipe are asked again by that recipe.
  void to_one_target() {
    std::vector<AnsweredTarget> targets;
    for (const SizedSystem& sized : sized_)
      if (sized.best) targets.push_back({sized.best->workload, sized.best->target, sized.best->recipe});
    if (targets.empty()) return;
    const auto recipes = common_recipes(targets, sized_.front().request.options.job);
    if (recipes.empty()) return;
    const std::string& recipe = recipes.front();
    const auto newest =
        std::find_if(targets.begin(), targets.end(), [&](const auto& target) { return target.recipe == recipe; });
    std::vector<SizedSystem*> others;
    for (SizedSystem& sized : sized_) {
      if (!sized.best || sized.best->target == newest->target) continue;
      sized.refusal = fmt::format("it trains to {}, others to {}", sized.best->target, newest->target);
      sized.best.reset();
      sized.request.options.job.recipe = recipe;
      others.push_back(&sized);
    }
    ask(others);
    for (SizedSystem* sized : others)
      if (sized->best && sized->best->target != newest->target) sized->best.reset();
  }

  // Says why the answer makes no candidate; empty where it makes one, which is then kept.
  std::string refused(SizedSystem& sized, const validation::Answer& answer) {
    if (!answer.prediction) return answer.refusal;
    auto candidate = candidate_of(sized.request, *answer.prediction);
    if (!candidate) return "its time to target is not known";
    if (candidate->trust > question_.least_trust)
      return fmt::format("its figures are trusted no better than {}", name(candidate->trust));
    candidate->record = records_.of(*candidate);
    // A published run has shown that it fits; a margin that the question names is kept all the same.
    const bool shown_to_fit = candidate->record && question_.memory_margin == kMemoryMargin;
    if (!shown_to_fit && candidate->memory > candidate->memory_capacity * (1 - question_.memory_margin))
      return "it leaves too little memory free";
    sized.best = std::move(candidate);
    return "";
  }

  PlanSearch result() {
    PlanSearch search{{}, std::move(left_out_)};
    std::map<std::string, bool> any;
    for (const SizedSystem& sized : sized_) any[sized.request.topology] |= sized.best.has_value();
    for (SizedSystem& sized : sized_) {
      const std::string& system = sized.request.topology;
      if (sized.best)
        search.candidates.push_back(std::move(*sized.best));
      else if (!std::exchange(any[system], true))  // once a system
        search.left_out.push_back({system, sized.refusal ? *sized.refusal : "it was not answered"});
    }
    return search;
  }

  const PlanQuestion& question_;
  PlanRecords records_;
  std::vector<SizedSystem> sized_;
  std::vector<LeftOut> left_out_;
};

using validation::Case;

// Names what a system is at a size, so that "dgx-h100:nodes=4" and 32 accelerators of "dgx-h100" are one; empty where
// there is none of that size.
std::string identity(const std::string& system, int accelerators) {
  try {
    const Cluster cluster = build_cluster(system, accelerators);
    const std::string& machine = cluster.machine.empty() ? cluster.name : cluster.machine;
    return machine + " " + cluster.accelerator.name + " " + std::to_string(cluster.ranks());
  } catch (const InputError&) {
    return "";
  } catch (const Infeasible&) {
    return "";
  }
}

// Tells what a published run ended at; empty where its row does not say.
std::string target_of(const Case& c) {
  if (c.options.job.recipe.empty()) return "";
  try {
    return convergence_table(load_model(c.workload).benchmark).recipe(c.options.job.recipe).target;
  } catch (const InputError&) {
    return "";
  }
}

}  // namespace

PlanSearch plan_search(const PlanQuestion& question, const KnownFigures& known) {
  return Search(question, known).run();
}

std::vector<PlanRecords::Run> PlanRecords::runs_of(const std::string& workload) {
  std::vector<Run> runs;
  const auto same = [&](const std::string& its_workload, const std::string&) { return its_workload == workload; };
  for (const Case& c : validation::published_cases_of(std::string(network_name(workload)), same)) {
    const bool states_time = c.metric == validation::Metric::time_to_accuracy && c.relative_to.empty();
    if (states_time && !c.options.job.has_length())
      runs.push_back({identity(c.topology, c.accelerators), target_of(c), {c.id, Seconds(c.value)}});
  }
  return runs;
}

std::optional<PlanRecord> PlanRecords::of(const PlanCandidate& candidate) {
  if (candidate.request.options.job.has_length()) return std::nullopt;
  const auto [runs, fresh] = known_.try_emplace(candidate.workload);
  if (fresh) runs->second = runs_of(candidate.workload);
  if (runs->second.empty()) return std::nullopt;
  const std::string system = identity(candidate.system, candidate.accelerators);
  std::optional<PlanRecord> quickest;
  for (const Run& run : runs->second) {
    if (run.system != system || run.target != candidate.target) continue;
    if (!quickest || run.record.time < quickest->time) quickest = run.record;
  }
  return quickest;
}

}  // namespace mlsim::studies
