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

// A `SizedSystem` is a system at one size, with all that was answered of it.
struct SizedSystem {
  PredictRequest request;
  std::optional<PlanCandidate> best;
  std::optional<std::string> refusal;  // of the default batch
  double default_batch = 0;            // samples an accelerator
  Bytes default_memory;                // that these take
};

// A `Change` is a change of a question, and how a candidate that needs it says so.
struct Change {
  std::string said;
  std::function<void(PredictRequest&)> apply;
};

Change shard_update() {
  return {"sharded_update=on", [](PredictRequest& r) { r.options.memory.sharded_update = true; }};
}

Change recompute() {
  return {"recompute=full", [](PredictRequest& r) { r.options.memory.recompute = Recompute::full; }};
}

Change split_by(const std::string& parallelism) {
  return {parallelism, [parallelism](PredictRequest& r) { r.parallelism = parallelism; }};
}

// Remedies make room in an accelerator's memory, the least costly first: an optimizer's state over all accelerators,
// activations computed again, both, then the model split (workloads that fit without are not asked with them).
constexpr std::size_t kRemedies = 6;
std::vector<Change> remedy(std::size_t number, int accelerators) {
  switch (number) {
    case 0: return {shard_update()};
    case 1: return {recompute()};
    case 2: return {shard_update(), recompute()};
    case 3: return {split_by(fmt::format("embedding={}", accelerators))};
    case 4: return {split_by("tensor=8"), recompute()};
    default: return {split_by("tensor=8"), recompute(), shard_update()};
  }
}

// `kNear` bounds the search and is no figure of any answer: how far beyond the goal, or the least bill that meets it,
// the default batch may lie for other batches to be worth a look.
constexpr double kNear = 2;

class Search {
 public:
  Search(const PlanQuestion& question, const KnownFigures& known) : question_(question) {
    QuestionText one = question.job;  // of the lists nothing
    one.topology.clear();
    one.accelerators.clear();
    for (const auto& [key, word] : question_words()) check_value(key, one.*word);
    PredictRequest request = request_of(one, known);
    PlanSystems systems = plan_systems(question, request.options.price);
    left_out_ = std::move(systems.left_out);
    for (const SystemSize& size : systems.sizes) {
      request.topology = size.system;
      request.accelerators = size.accelerators;
      sized_.push_back({request, {}, {}, 0, {}});
    }
  }

  PlanSearch run() {
    ask_defaults();
    ask_batches();
    ask_remedies();
    return result();
  }

 private:
  // A `Variant` is what was asked of which system.
  struct Variant {
    SizedSystem* sized;
    PredictRequest request;
    std::string techniques;
  };

  // Keeps the better of the known candidate and the one answered now.
  void ask(const std::vector<Variant>& variants, bool first) {
    validation::AnswerOptions options;
    options.workers = question_.workers;
    options.activity = "answering systems, sizes and batches";
    options.name = [&](std::size_t i) {
      return fmt::format("{} accelerators of {}", variants[i].request.accelerators, variants[i].request.topology);
    };
    options.say = question_.say;
    const auto question = [&](std::size_t i) {
      check_combinations(variants[i].request.options);
      return variants[i].request;
    };
    const auto found = validation::answers(
        variants.size(), question, [](const PredictRequest& request) { return predict(request); }, options);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::string refusal = consider(variants[i], found[i], first);
      if (first && !refusal.empty()) variants[i].sized->refusal = refusal;
    }
  }

  // Says why the answer makes no candidate; empty where it makes one, better or not.
  std::string consider(const Variant& variant, const validation::Answer& answer, bool first) {
    SizedSystem& sized = *variant.sized;
    if (!answer.prediction) return answer.refusal;
    auto candidate = candidate_of(variant.request, *answer.prediction);
    if (!candidate) return "its time to target is not known; --set epochs=N asks for so many epochs";
    if (first) {
      sized.default_batch = batch_of(*candidate);
      sized.default_memory = candidate->memory;
    }
    candidate->techniques = variant.techniques;
    if (candidate->trust > question_.least_trust)
      return fmt::format("its figures are trusted no better than {}", name(candidate->trust));
    if (candidate->memory > usable_memory(*candidate)) return "its default batch leaves too little memory free";
    if (!sized.best || better(*candidate, *sized.best)) sized.best = std::move(candidate);
    return "";
  }

  // Tells whether `a` goes before `b` of the same system and size: what meets the goal goes before what does not, else
  // the quicker goes first.
  bool better(const PlanCandidate& a, const PlanCandidate& b) const {
    const PlanGoal& goal = question_.goal;
    if (a.meets(goal) != b.meets(goal)) return a.meets(goal);
    // The price is the same for both, so the quicker is the cheaper.
    return a.time < b.time;
  }

  void ask_defaults() {
    std::vector<Variant> variants;
    for (SizedSystem& sized : sized_) variants.push_back({&sized, sized.request, ""});
    ask(variants, true);
  }

  // Remedies are asked one after the other, as long as nothing fits.
  void ask_remedies() {
    for (std::size_t number = 0; number < kRemedies; ++number) {
      std::vector<Variant> variants;
      for (SizedSystem& sized : sized_)
        if (!sized.best && sized.default_batch == 0 && sized.refusal)
          variants.push_back(changed(sized, remedy(number, sized.request.accelerators)));
      ask(variants, false);
    }
  }

  static Variant changed(SizedSystem& sized, const std::vector<Change>& changes) {
    Variant variant{&sized, sized.request, ""};
    for (const Change& change : changes) {
      change.apply(variant.request);
      variant.techniques += (variant.techniques.empty() ? "" : ", ") + change.said;
    }
    return variant;
  }

  // Tells whether the candidate may meet the goal with another batch.
  bool is_near(const PlanCandidate& candidate) const {
    const PlanGoal& goal = question_.goal;
    if (goal.deadline && candidate.time > *goal.deadline * kNear) return false;
    const auto cost = candidate.cost();
    if (goal.budget && !(cost && *cost <= *goal.budget * kNear)) return false;
    return !least_bill_ || (cost && *cost <= *least_bill_ * kNear);
  }

  // The least bill is that of the candidates so far that meet the goal.
  void note_least_bill() {
    for (const SizedSystem& sized : sized_) {
      const auto cost = sized.best && sized.best->meets(question_.goal) ? sized.best->cost() : std::nullopt;
      if (cost && (!least_bill_ || *cost < *least_bill_)) least_bill_ = cost;
    }
  }

  void ask_batches() {
    if (!question_.job.global_batch.empty() || !question_.job.batch_per_accelerator.empty()) return;
    note_least_bill();
    ask_batches([](const SizedSystem& sized) {
      return std::vector<double>{sized.default_batch / 2, sized.default_batch * 2};
    });
    ask_batches([&](const SizedSystem& sized) { return further_batches(sized); });
  }

  // Goes on in the direction that was better, up to the batch that leaves just the margin of memory.
  std::vector<double> further_batches(const SizedSystem& sized) const {
    if (!sized.best) return {sized.default_batch / 4};
    const double batch = batch_of(*sized.best);
    if (batch == sized.default_batch) return {};
    if (batch > sized.default_batch) return {sized.default_batch * 4};
    const Bytes usable = usable_memory(*sized.best);
    if (sized.default_memory <= usable) return {sized.default_batch / 4};
    const Bytes each = (sized.default_memory - sized.best->memory) / (sized.default_batch - batch);
    return {batch + (usable - sized.best->memory) / each};
  }

  static double batch_of(const PlanCandidate& candidate) { return candidate.global_batch / candidate.accelerators; }

  Bytes usable_memory(const PlanCandidate& candidate) const {
    return candidate.memory_capacity * (1 - question_.memory_margin);
  }

  // Batches are samples an accelerator, down to whole ones.
  void ask_batches(const std::function<std::vector<double>(const SizedSystem&)>& batches) {
    std::vector<Variant> variants;
    for (SizedSystem& sized : sized_) {
      if (sized.default_batch == 0 || (sized.best && !is_near(*sized.best))) continue;
      for (const double batch : batches(sized)) {
        if (batch < 1) continue;
        variants.push_back({&sized, sized.request, ""});
        variants.back().request.batch_per_accelerator = std::floor(batch);
      }
    }
    ask(variants, false);
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
  std::optional<Usd> least_bill_;
  std::vector<LeftOut> left_out_;
};

}  // namespace

PlanSearch plan_search(const PlanQuestion& question, const KnownFigures& known) {
  return Search(question, known).run();
}

}  // namespace mlsim::studies
