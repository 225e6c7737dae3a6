#include "studies/plan/plan_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "core/process/workers.hpp"
#include "core/text/errors.hpp"
#include "studies/plan/plan_systems.hpp"
#include "studies/sweep/row_answerer.hpp"
#include "studies/sweep/sweep_grid.hpp"

namespace mlsim::studies {
namespace {

// A system at one size, with all that was answered of it.
struct SizedSystem {
  QuestionText question;
  std::optional<PlanCandidate> best;
  std::optional<SweepRow> refusal;  // of the default batch
  double default_batch = 0;         // samples an accelerator
  Bytes default_memory;             // that these take
};

// What makes room in an accelerator's memory, the least costly first: an optimizer's state over all accelerators,
// activations computed again, and both (workloads that fit without are not asked with them).
using Remedy = std::vector<std::pair<std::string, std::string>>;  // settings and words
const std::array<Remedy, 6> kRemedies{{
    {{"sharded_update", "on"}},
    {{"recompute", "full"}},
    {{"sharded_update", "on"}, {"recompute", "full"}},
    {{"parallelism", "embedding={}"}},
    {{"parallelism", "tensor=8"}, {"recompute", "full"}},
    {{"parallelism", "tensor=8"}, {"recompute", "full"}, {"sharded_update", "on"}},
}};

// A bound of the search and no figure of any answer: how far beyond the goal, or the least bill that meets it, the
// default batch may lie for other batches to be worth a look.
constexpr double kNear = 2;

class Search {
 public:
  Search(const PlanQuestion& question, const KnownFigures& known) : question_(question), known_(known) {
    QuestionText one = question.job;  // of the lists nothing
    one.topology.clear();
    one.accelerators.clear();
    for (const auto& [key, word] : question_words()) check_value(key, one.*word);
    if (const std::string& sizes = question.job.accelerators; !sizes.empty())
      for (const std::string& size : parse_axis("--accelerators", "accelerators", sizes).values)
        check_value("accelerators", size);
    const Options options = request_of(one, known).options;
    billing_ = options.price.billing;
    PlanSystems systems = plan_systems(question, options.price);
    left_out_ = std::move(systems.left_out);
    for (QuestionText& size : systems.sizes) {
      SizedSystem sized;
      sized.question = std::move(size);
      sized_.push_back(std::move(sized));
    }
  }

  PlanSearch run() {
    ask_defaults();
    ask_batches();
    ask_remedies();
    return result();
  }

 private:
  std::vector<SweepRow> answers(const std::vector<QuestionText>& questions) const {
    WorkerOptions options;
    options.workers = question_.workers;
    options.process = "the process that answered it";
    options.activity = "answering systems, sizes and batches";
    options.name = [&](std::size_t i) {
      return fmt::format("{} accelerators of {}", questions[i].accelerators, questions[i].topology);
    };
    options.say = question_.say;
    const auto outcomes = worker_outcomes(
        questions.size(), [&](std::size_t i) { return packed_rows({RowAnswerer(known_).row(i, questions[i])}); },
        options);
    std::vector<SweepRow> rows;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      try {
        rows.push_back(unpacked_rows(outcomes[i].value()).front());
      } catch (const MachineFailed&) {
        throw;
      } catch (const std::exception& e) {
        rows.push_back({i, RowStatus::failed, e.what(), {}});
      }
    }
    return rows;
  }

  // What was asked of which system.
  struct Variant {
    SizedSystem* sized;
    QuestionText question;
    std::string techniques;
  };

  // Keeps the better of what is known and what is answered now.
  void ask(const std::vector<Variant>& variants, bool first) {
    std::vector<QuestionText> questions;
    for (const Variant& variant : variants) questions.push_back(variant.question);
    const std::vector<SweepRow> rows = answers(questions);
    for (std::size_t i = 0; i < rows.size(); ++i) consider(variants[i], rows[i], first);
  }

  void consider(const Variant& variant, const SweepRow& row, bool first) {
    SizedSystem& sized = *variant.sized;
    if (row.status != RowStatus::answered) {
      if (first) sized.refusal = row;
      return;
    }
    auto candidate = candidate_of(variant.question, row, billing_);
    if (!candidate) {
      if (first)
        sized.refusal = SweepRow{row.point,
                                 RowStatus::refused,
                                 "its time to target is not known; --set epochs=N asks for so many epochs",
                                 {}};
      return;
    }
    if (first) {
      sized.default_batch = batch_of(*candidate);
      sized.default_memory = candidate->memory;
    }
    candidate->techniques = variant.techniques;
    if (candidate->trust > question_.least_trust) {
      if (first) sized.refusal = SweepRow{row.point, RowStatus::refused, untrusted(*candidate), {}};
      return;
    }
    if (candidate->memory > usable_memory(*candidate)) {
      if (first && !sized.refusal)
        sized.refusal = SweepRow{row.point, RowStatus::refused, "its default batch leaves too little memory free", {}};
      return;
    }
    if (!sized.best || better(*candidate, *sized.best)) sized.best = std::move(candidate);
  }

  // Whether `a` goes before `b` of the same system and size: what meets the goal goes before what does not, else the
  // quicker goes first.
  bool better(const PlanCandidate& a, const PlanCandidate& b) const {
    const PlanGoal& goal = question_.goal;
    if (a.meets(goal) != b.meets(goal)) return a.meets(goal);
    // The price is the same for both, so the quicker is the cheaper.
    return a.time < b.time;
  }

  void ask_defaults() {
    std::vector<Variant> variants;
    for (SizedSystem& sized : sized_) variants.push_back({&sized, sized.question, ""});
    ask(variants, true);
  }

  // One after the other, as long as nothing fits.
  void ask_remedies() {
    for (const Remedy& remedy : kRemedies) {
      std::vector<Variant> variants;
      for (SizedSystem& sized : sized_)
        if (!sized.best && sized.default_batch == 0 && sized.refusal) variants.push_back(with_remedy(sized, remedy));
      ask(variants, false);
    }
  }

  static Variant with_remedy(SizedSystem& sized, const Remedy& remedy) {
    Variant variant{&sized, sized.question, ""};
    for (const auto& [key, form] : remedy) {
      const std::string value = form == "embedding={}" ? "embedding=" + sized.question.accelerators : form;
      set_word(variant.question, key, value);
      const std::string said = key == "parallelism" ? value : key + "=" + value;
      variant.techniques += (variant.techniques.empty() ? "" : ", ") + said;
    }
    return variant;
  }

  // Whether it may meet the goal with another batch.
  bool is_near(const PlanCandidate& candidate) const {
    const PlanGoal& goal = question_.goal;
    if (goal.deadline && candidate.time > *goal.deadline * kNear) return false;
    const auto cost = candidate.cost();
    if (goal.budget && !(cost && *cost <= *goal.budget * kNear)) return false;
    return !least_bill_ || (cost && *cost <= *least_bill_ * kNear);
  }

  // Of the candidates so far that meet the goal.
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

  // On in the direction that was better, and the batch that leaves just the margin of memory.
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

  std::string untrusted(const PlanCandidate& candidate) const {
    return fmt::format("its figures are trusted no better than {}", name(candidate.trust));
  }

  static double batch_of(const PlanCandidate& candidate) { return candidate.global_batch / candidate.accelerators; }

  Bytes usable_memory(const PlanCandidate& candidate) const {
    return candidate.memory_capacity * (1 - question_.memory_margin);
  }

  // Samples an accelerator, down to whole ones.
  void ask_batches(const std::function<std::vector<double>(const SizedSystem&)>& batches) {
    std::vector<Variant> variants;
    for (SizedSystem& sized : sized_) {
      if (sized.default_batch == 0 || (sized.best && !is_near(*sized.best))) continue;
      for (const double batch : batches(sized)) {
        if (batch < 1) continue;
        Variant variant{&sized, sized.question, ""};
        variant.question.batch_per_accelerator = fmt::format("{:.0f}", std::floor(batch));
        variants.push_back(std::move(variant));
      }
    }
    ask(variants, false);
  }

  PlanSearch result() {
    PlanSearch search{{}, std::move(left_out_)};
    std::map<std::string, bool> any;
    for (const SizedSystem& sized : sized_) any[sized.question.topology] |= sized.best.has_value();
    for (SizedSystem& sized : sized_) {
      const std::string& system = sized.question.topology;
      if (sized.best)
        search.candidates.push_back(std::move(*sized.best));
      else if (!std::exchange(any[system], true))  // once a system
        search.left_out.push_back({system, sized.refusal ? sized.refusal->reason : "it was not answered"});
    }
    return search;
  }

  const PlanQuestion& question_;
  const KnownFigures& known_;
  Billing billing_ = Billing::second;
  std::vector<SizedSystem> sized_;
  std::optional<Usd> least_bill_;
  std::vector<LeftOut> left_out_;
};

}  // namespace

PlanSearch plan_search(const PlanQuestion& question, const KnownFigures& known) {
  return Search(question, known).run();
}

}  // namespace mlsim::studies
