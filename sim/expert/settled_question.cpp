#include "sim/expert/settled_question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/process/activity.hpp"
#include "core/profile/collective_name.hpp"
#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "sim/costed_step/costed_step.hpp"
#include "sim/expert/batch_candidates.hpp"
#include "sim/expert/layout.hpp"
#include "sim/expert/usual_precision.hpp"
#include "sim/options/options_text.hpp"
#include "sim/plan/part_memory.hpp"

namespace mlsim::sim {
namespace {

// Asks the same of the plan's software.
PredictRequest with_software_of(PredictRequest request, const Plan& plan) {
  request.options.software.stack = plan.software.stack.stack;
  request.options.software.fusion = plan.options.software.fusion;
  if (!plan.software.recipe.empty()) request.options.job.recipe = plan.software.recipe;
  return request;
}

// Plans the question for the software that stands in where none is named, which may need less memory than the usual
// one; with the usual one where not even the least batch fits.
Plan plan_in_use(const PredictRequest& request, Plan open, QuestionCache& cache) {
  const Bytes memory = open.cluster->accelerator.memory.value;
  if (names_batch(request) && part_memory(*open.part, open.step).total() <= tolerated(memory)) return open;
  PredictRequest least = request;
  if (!names_batch(request)) least.global_batch = open.step.parallelism.batch_ranks() * open.step.micro_batches;
  try {
    const CostedStep step = costed_step(least, cache);
    const std::string& stack = step.plan().software.stack.stack;
    const std::optional<bool> fusion = step.plan().options.software.fusion;
    if (stack == open.software.stack.stack && fusion == open.options.software.fusion) return open;
    const bool to_target = open.software.to_target;
    open.software.stack.stack = stack;
    open.options.software.fusion = fusion;
    Plan used = plan_of_any_size(with_software_of(request, open), cache.system);
    used.software.to_target = to_target;
    return used;
  } catch (const Infeasible&) {
    return open;
  }
}

// A `WholeQuestion` is one way to ask the question in full.
struct WholeQuestion {
  PredictRequest request;
  Layout layout;
  BatchCandidate batch;
};

PredictRequest with_batch(PredictRequest request, const BatchCandidate& batch, const Layout& layout, int ranks) {
  const double each = batch.global / ranks;
  request.global_batch.reset();
  request.batch_per_accelerator.reset();
  if (each == std::floor(each))
    request.batch_per_accelerator = each;
  else
    request.global_batch = batch.global;
  if (batch.micro_batches > layout.micro_batches) request.options.memory.accumulation = batch.micro_batches;
  return request;
}

// Keeps of ascending candidates the first, and those that are no larger.
std::vector<BatchCandidate> within(std::vector<BatchCandidate> batches, std::optional<double> most) {
  while (most && batches.size() > 1 && batches.back().global > *most) batches.pop_back();
  return batches;
}

// Says whether the question names how many parts its batch is computed in, be it one.
bool names_micro_batches(const PredictRequest& request, const Plan& plan) {
  return request.options.memory.accumulation ||
         parse_parallelism(request.parallelism, plan.cluster->ranks()).micro_batches > 0;
}

// Lists what is left to choose between, each whole.
std::vector<WholeQuestion> questions_of(const PredictRequest& request, const Plan& plan) {
  const bool told = names_batch(request);
  const Bytes memory = plan.cluster->accelerator.memory.value;
  const bool by_batch = !told && goes_by_batch(plan, request.options.job);
  const std::optional<double> most = by_batch ? most_on_record(request.anchors, plan) : std::nullopt;
  const std::optional<double> on_record = told ? std::nullopt : batch_on_record(request.anchors, plan);
  std::vector<WholeQuestion> all;
  const bool parts_told = names_micro_batches(request, plan);
  // Parts of a batch cost other networks nearly nothing.
  const Bytes of_told = trains_as_language_model(plan.model) ? tolerated(memory) : memory;
  const Bytes room = told ? of_told : memory * (1 - request.memory_margin);
  for (const Layout& layout : layouts_that_fit(request, plan, room)) {
    std::vector<BatchCandidate> batches;
    if (!told)
      batches = within(batch_candidates(plan, request.options.job, layout, on_record), most);
    else if (const auto held = held_batch(layout, plan.global_batch()))
      batches = {*held};
    for (const BatchCandidate& batch : batches) {
      const bool in_parts = batch.micro_batches > layout.micro_batches;
      if (in_parts && parts_told) continue;
      PredictRequest full = layout.of(request);
      if (!told || in_parts) full = with_batch(std::move(full), batch, layout, plan.cluster->ranks());
      all.push_back({std::move(full), layout, batch});
    }
  }
  return all;
}

// Gives the time to the target, or where none depends on the batch, that of a sample.
double score(const CostedStep& step, const Plan& plan, bool by_batch) {
  const double batch = step.plan().global_batch();
  const double time = step.cost().nominal_time().value / batch;
  return by_batch ? time * samples_of_job(plan, batch) : time;
}

// `question` is null where all are refused, `step` where none was costed.
struct BestQuestion {
  const WholeQuestion* question = nullptr;
  std::shared_ptr<const CostedStep> step{};
};

// Returns the quickest.
BestQuestion best_of(const std::vector<WholeQuestion>& questions, const Plan& plan, bool by_batch,
                     QuestionCache& cache) {
  if (questions.size() < 2) return {questions.empty() ? nullptr : &questions.front()};
  BestQuestion best;
  double least = 0;
  for (const WholeQuestion& question : questions) {
    try {
      auto step = shared_costed_step(question.request, cache);
      const double time = score(*step, plan, by_batch);
      if (best.question != nullptr && least <= time) continue;
      least = time;
      best = {&question, std::move(step)};
    } catch (const Infeasible&) {  // another may be possible
    }
  }
  return best;
}

Statement batch_chosen(const WholeQuestion& chosen, std::size_t batches, bool by_batch) {
  Statement text{"batch ", named_count("global_batch", chosen.batch.global)};
  if (by_batch && batches > 1) text.add(" (quickest to target of ", named("tried", static_cast<int>(batches)), ")");
  return text;
}

// Gives the question what it leaves open of its batch and layout, and says so in `chosen`.
void choose_batch_and_layout(SettledQuestion& question, const Plan& plan, std::vector<Statement>& chosen,
                             QuestionCache& cache) {
  PredictRequest& request = question.request;
  const bool told = names_batch(request);
  const std::vector<WholeQuestion> questions = questions_of(request, plan);
  const bool by_batch = !told && goes_by_batch(plan, request.options.job);
  const auto [best, step] = best_of(questions, plan, by_batch, cache);
  if (best == nullptr) return;
  if (!told) chosen.push_back(batch_chosen(*best, questions.size(), by_batch));
  if (best->batch.micro_batches > best->layout.micro_batches)
    chosen.push_back({named("micro_batches", best->batch.micro_batches), " micro-batches (it does not fit at once)"});
  if (!best->layout.plain()) chosen.push_back({named("layout", best->layout.text()), " (it does not fit without)"});
  request = best->request;
  question.step = step;
}

struct AsPublished {
  PublishedSoftware had;
  std::string why;
};

// Returns what most published runs of the model had on this accelerator, on chips of its kind, or on all.
AsPublished as_published(const Plan& plan) {
  const PublishedTraining& training = plan.model.training;
  const AcceleratorSpec& accelerator = plan.cluster->accelerator;
  for (const std::string& name : {accelerator.name, accelerator.chip}) {
    const auto here = training.software_on.find(name);
    if (here != training.software_on.end()) return {here->second, "as most published runs on " + name};
  }
  return {training.software, "as most published runs of it"};
}

// Returns the class of software that most published runs of a language model have, where the question names none and
// tuned software would stand in; on TPUs compiled software does, and stays.
std::optional<SoftwareClass> software_by_default(const PredictRequest& request, const Plan& plan) {
  if (!request.options.software.stack.empty() || plan.software.stack.stack != name(SoftwareClass::tuned))
    return std::nullopt;
  return as_published(plan).had.software;
}

struct ChosenAttention {
  AttentionKernels kernels = AttentionKernels::flash;
  std::string why;
};

// Fused attention is what published runs had, or what frameworks for language models run unless told otherwise
// (NVIDIA/Megatron-LM, --attention-backend auto; PyTorch, scaled_dot_product_attention; google/maxtext, attention:
// autoselected).
std::optional<ChosenAttention> fused_by_default(const PredictRequest& request, const Plan& plan) {
  const bool open =
      !request.options.given.contains("attention") && request.options.software.attention == AttentionKernels::unfused;
  if (!open || !has_attention(plan.model) || plan.step.precision == Precision::fp32 ||
      !(plan.cluster->accelerator.family == AcceleratorFamily::tpu || has_matrix_units(plan.cluster->accelerator)))
    return std::nullopt;
  const AsPublished published = as_published(plan);
  if (published.had.attention) return ChosenAttention{*published.had.attention, published.why};
  if (plan.model.tokens == 0) return std::nullopt;
  return ChosenAttention{AttentionKernels::flash, "usual of language models on " + plan.cluster->accelerator.name};
}

// Gives `request` the other settings that most published runs of a language model had and the question leaves open;
// returns what it chose.
std::optional<Statement> set_as_published(PredictRequest& request, const Plan& plan) {
  const AsPublished published = as_published(plan);
  std::vector<Statement> chosen;
  for (const auto& [key, value] : published.had.settings) {
    if (request.options.given.contains(key)) continue;
    set_option(request.options, key, value);
    chosen.push_back({key + " ", named(key, value)});
  }
  if (chosen.empty()) return std::nullopt;
  Statement text = joined(chosen, ", ");
  text.add(" (", published.why, ")");
  return text;
}

// Says whether the least batch fits on each accelerator without a split.
bool holds_model(const Plan& plan) {
  StepPlan least = plan.step;
  least.batch_per_accelerator = least.micro_batches;
  return part_memory(*plan.part, least).total() <= plan.cluster->accelerator.memory.value;
}

bool leaves_layout_open(const PredictRequest& request) {
  return request.parallelism.empty() && request.options.parallelism.mesh.empty() &&
         !request.options.memory.accumulation;
}

// Says whether a language model's question tells neither its software nor anything of its layout.
bool is_open(const PredictRequest& request, const Plan& plan) {
  const auto tells = [&](const char* key) { return request.options.given.contains(key); };
  return trains_as_language_model(plan.model) && leaves_layout_open(request) && !tells("stack") && !tells("sharding") &&
         !tells("recompute");
}

// Plans the question; where that is refused as it names fewer samples than there are ranks, and its layout is open,
// without that batch: the ranks of a layout may share samples.
Plan plan_to_settle(const PredictRequest& request, QuestionCache& cache) {
  try {
    return plan_of_any_size(request, cache.system);
  } catch (const Infeasible&) {
    if (!request.global_batch || !leaves_layout_open(request)) throw;
    PredictRequest open = request;
    open.global_batch.reset();
    Plan plan = plan_of_any_size(open, cache.system);
    if (!is_searched(plan) || *request.global_batch >= plan.cluster->ranks()) throw;
    return plan;
  }
}

// Says whether runs to the target are published with fewer samples than there are ranks, among which the quickest may
// be: a larger batch needs more samples.
bool shares_samples(const PredictRequest& request, const Plan& plan) {
  if (names_batch(request)) return false;
  const std::vector<double> published = recipe_batches(plan, request.options.job);
  return !published.empty() && published.front() < plan.step.parallelism.batch_ranks();
}

}  // namespace

SettledQuestion settled(const PredictRequest& asked) {
  QuestionCache cache;
  return settled(asked, cache);
}

SettledQuestion settled(const PredictRequest& asked, QuestionCache& cache) {
  SettledQuestion question{asked, {}, {}, {}};
  const bool automatic = asked.parallelism == kAutomaticParallelism;
  if (automatic && (asked.as_is || asked.options.job.throughput))
    throw InputError("--parallelism auto", asked.as_is ? "is a choice, and --as-is leaves choices out"
                                                       : "changes nothing of a throughput that is given");
  if (automatic) question.request.parallelism.clear();
  if (asked.as_is || asked.options.job.throughput || names_collective(asked.workload)) return question;
  const Activity activity("choosing what the question leaves open");
  PredictRequest& request = question.request;
  std::vector<Statement> chosen;
  Plan plan = plan_to_settle(request, cache);
  request.is_open = request.is_open || is_open(request, plan);
  if (!request.precision) {
    const auto usual =
        usual_precision(request.anchors, plan.model, plan.cluster->accelerator, request.options.job.has_length());
    request.precision = usual.precision;
    chosen.push_back({named("precision", name(usual.precision)), " (", usual.why, ")"});
    if (usual.precision != plan.step.precision) plan = plan_to_settle(request, cache);
  }
  if (const auto software = software_by_default(request, plan)) {
    request.options.software.stack = name(*software);
    chosen.push_back({named("stack", name(*software)), " software (", as_published(plan).why, ")"});
    plan = plan_to_settle(request, cache);
  }
  if (const auto attention = fused_by_default(request, plan)) {
    request.options.software.attention = attention->kernels;
    chosen.push_back({"attention ", named("attention", name(attention->kernels)), " (", attention->why, ")"});
    plan = plan_to_settle(request, cache);
  }
  if (const auto settings = set_as_published(request, plan)) {
    chosen.push_back(*settings);
    plan = plan_to_settle(request, cache);
  }
  const bool fewer_than_ranks = request.global_batch && *request.global_batch < plan.step.parallelism.batch_ranks();
  const bool shares = automatic || fewer_than_ranks || shares_samples(request, plan) || !holds_model(plan);
  if (is_searched(plan) && leaves_layout_open(request) && shares) {
    if (auto searched = searched_question(request, plan, cache)) {
      request = std::move(searched->request);
      chosen.push_back(std::move(searched->chosen));
      question.layouts = std::move(searched->layouts);
      question.step = std::move(searched->step);
      question.chosen = joined(chosen, "; ");
      return question;
    }
    if (fewer_than_ranks)
      throw Infeasible(fmt::format(
          "no layout of {} over {} accelerators divides a global batch of {:g} and fits {} of {}; "
          "a global batch of {} needs no rank to share a sample",
          plan.model.name, plan.cluster->ranks(), *request.global_batch,
          to_text(plan.cluster->accelerator.memory.value), plan.cluster->accelerator.title, plan.cluster->ranks()));
  }
  choose_batch_and_layout(question, plan_in_use(request, std::move(plan), cache), chosen, cache);
  question.chosen = joined(chosen, "; ");
  return question;
}

std::shared_ptr<const CostedStep> costed_step(const SettledQuestion& question, QuestionCache& cache) {
  return question.step != nullptr ? question.step : shared_costed_step(question.request, cache);
}

}  // namespace mlsim::sim
