#include "studies/plan/plan_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/option_rules.hpp"
#include "studies/plan/plan_systems.hpp"
#include "studies/sweep/sweep_grid.hpp"
#include "validation/cases/answers.hpp"

namespace mlsim::studies {
namespace {

// A `SizedSystem` is a system at one size, with what was answered of it.
struct SizedSystem {
  PredictRequest request;
  std::optional<PlanCandidate> best;
  std::optional<std::string> refusal;
};

class Search {
 public:
  Search(const PlanQuestion& question, const KnownFigures& known) : question_(question) {
    QuestionText one = question.job;  // of the lists nothing
    one.topology.clear();
    one.accelerators.clear();
    for (const auto& [key, word] : question_words()) check_value(key, one.*word);
    PredictRequest request = request_of(one, known);
    request.memory_margin = question.memory_margin;
    PlanSystems systems = plan_systems(question, request.options.price);
    left_out_ = std::move(systems.left_out);
    for (const SystemSize& size : systems.sizes) {
      request.topology = size.system;
      request.accelerators = size.accelerators;
      sized_.push_back({request, {}, {}});
    }
  }

  PlanSearch run() {
    validation::AnswerOptions options;
    options.workers = question_.workers;
    options.activity = "answering systems and sizes";
    options.name = [&](std::size_t i) {
      return fmt::format("{} accelerators of {}", sized_[i].request.accelerators, sized_[i].request.topology);
    };
    options.say = question_.say;
    const auto question = [&](std::size_t i) {
      check_combinations(sized_[i].request.options);
      return sized_[i].request;
    };
    const auto found = validation::answers(
        sized_.size(), question, [](const PredictRequest& request) { return predict(request); }, options);
    for (std::size_t i = 0; i < found.size(); ++i)
      if (std::string refusal = refused(sized_[i], found[i]); !refusal.empty()) sized_[i].refusal = std::move(refusal);
    return result();
  }

 private:
  // Says why the answer makes no candidate; empty where it makes one, which is then kept.
  std::string refused(SizedSystem& sized, const validation::Answer& answer) const {
    if (!answer.prediction) return answer.refusal;
    auto candidate = candidate_of(sized.request, *answer.prediction);
    if (!candidate) return "its time to target is not known; --set epochs=N asks for so many epochs";
    if (candidate->trust > question_.least_trust)
      return fmt::format("its figures are trusted no better than {}", name(candidate->trust));
    if (candidate->memory > candidate->memory_capacity * (1 - question_.memory_margin))
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
  std::vector<SizedSystem> sized_;
  std::vector<LeftOut> left_out_;
};

}  // namespace

PlanSearch plan_search(const PlanQuestion& question, const KnownFigures& known) {
  return Search(question, known).run();
}

}  // namespace mlsim::studies
