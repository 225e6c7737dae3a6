#include "sim/pace/step_basis.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/evidence/speed_prior.hpp"
#include "sim/evidence/stack_year.hpp"
#include "sim/pace/run_pace.hpp"
#include "sim/step_cost/step_terms.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {
namespace {

// What products in 16 bits reach differs by this sigma of ln over seven families of chips (calibrate/published/README.md).
constexpr double kPooledSpread = 0.16;

// One of several stacks on record has to be chosen; a single one is as good as named.
bool undecided(const StepBasis& basis) { return basis.open && basis.open->stacks > 1; }

Footing footing_of_runs(const StepBasis& basis) {
  if (basis.of_operators && basis.is_open) return Footing::open_operators;
  if (basis.of_operators && basis.first) return Footing::like_model;
  if (basis.of_operators) return basis.of_mixture ? Footing::mixture_operators : Footing::operators;
  if (!basis.first) return Footing::no_run;
  if (basis.second && basis.second->same_software()) return Footing::same_software;
  if (!basis.first->same_software()) return Footing::other_software;
  return basis.over_pcie ? Footing::over_pcie : Footing::same_software;
}

// Gives the plan's step, did every accelerator keep its rate.
Seconds linear_step(const ParsedAnchor& run, const Plan& plan) {
  return plan.global_batch() / (run.throughput * (static_cast<double>(plan.cluster->ranks()) / run.accelerators));
}

void add_prior(StepBasis& basis, const SpeedPrior& prior, const RunTraits& asked) {
  basis.pace.speed = prior.speed(speed_traits(asked));
  basis.sources.push_back(
      {"kernel speed",
       {"curve x", named("speed", basis.pace.speed), ", what ", named("runs", static_cast<int>(prior.runs())),
        " runs of other networks, accelerators and software have in common with it"},
       {Provenance::fitted, "shrunken additive effects of chip, network and code base", ""}});
}

// No run of other networks says how fast a language model's kernels are: what each of them reaches by itself does.
StepBasis by_operators(const Plan& plan, const KernelCost& cost, StepBasis basis) {
  basis.without_run = Statement("no step like it on ", named("accelerator", plan.cluster->accelerator.title), " with ",
                                named("software", plan.software.stack.stack), " software in ",
                                named("precision", name(plan.step.precision)),
                                " is on record: kernels by what operators reach by themselves");
  basis.sources = {{"kernel speed", basis.without_run, cost.curve().source}};
  basis.of_operators = true;
  const AcceleratorSpec& accelerator = plan.cluster->accelerator;
  basis.pooled_products = accelerator.family == AcceleratorFamily::gpu && accelerator.narrow_products.value <= 0;
  basis.of_mixture = plan.model.sort == workloads::NetworkSort::language_mixture;
  return basis;
}

StepBasis without_run(const Plan& plan, const KernelCost& cost, const RunTraits& asked, const Evidence& evidence) {
  const bool curve = cost.curve().source.provenance != Provenance::datasheet;
  StepBasis basis;
  basis.pace = {cost.pace().speed, stack_contention(plan)};
  basis.bare_roofline = !curve;
  if (is_language_model(plan.model.sort)) return by_operators(plan, cost, std::move(basis));
  basis.without_run = Statement("no step of ", named("workload", plan.model.name), " on ",
                                named("accelerator", plan.cluster->accelerator.title), " in ",
                                named("precision", name(plan.step.precision)),
                                " is on record: ", curve ? "efficiency curve of other networks" : "bare roofline");
  basis.sources = {{"kernel speed", basis.without_run, cost.curve().source}};
  if (!curve) return basis;
  const SpeedPrior& prior = evidence.prior(asked.population());
  if (!prior.empty()) add_prior(basis, prior, asked);
  return basis;
}

void add_second(StepBasis& basis, const PredictRequest& request, const Plan& plan, const Evidence& evidence,
                NearRun second) {
  basis.pace.contention = run_contention(evidence, second.place, basis.pace.speed, request);
  basis.linear = linear_step(second.run, plan);
  basis.sources.push_back(
      {"contention",
       {"kernels ", named_percent("contention", basis.pace.contention), " slower beside others, so that ",
        named("anchor", second.run.id), " takes ", named("step", measured_step(second.run)), " a step"},
       second.run.source});
  basis.second = std::move(second);
}

StepBasis on_run(const PredictRequest& request, const Plan& plan, const RunTraits& asked, const Evidence& evidence,
                 NearRun first) {
  StepBasis basis;
  basis.pace = {kernel_speed(evidence, first.place, request), stack_contention(plan)};
  if (first.apart.code_base) {
    const SpeedTraits ran = speed_traits(evidence.at(first.place).traits);
    basis.pace.speed *= evidence.prior(asked.population()).software_ratio(speed_traits(asked), ran);
  }
  basis.of_operators = is_language_model(plan.model.sort);
  if (!basis.of_operators) basis.linear = linear_step(first.run, plan);  // another size's rate says nothing
  basis.over_pcie =
      first.run.accelerators == 1 && plan.cluster->ranks() > 1 && plan.cluster->interconnect == Interconnect::pcie;
  basis.sources = {{"kernel speed",
                    {"efficiency curve x", named("speed", basis.pace.speed), ", so that ",
                     named("anchor", first.run.id), " takes ", named("step", measured_step(first.run)), " a step"},
                    first.run.source}};
  if (auto second = second_run(asked, first, evidence)) add_second(basis, request, plan, evidence, std::move(*second));
  basis.first = std::move(first);
  return basis;
}

}  // namespace

RunTraits asked_run(const PredictRequest& request, const Plan& plan) {
  const Options& options = request.options;
  RunTraits asked;
  asked.workload = plan.model.name;
  asked.network = std::string(network_name(plan.model.name));
  asked.computed = computed_name(plan.model.name, options.software.stack);
  asked.sort = plan.model.sort;
  asked.chip = chip_traits(plan.cluster->accelerator.name);
  asked.chip.kind = plan.cluster->accelerator.chip;
  asked.machine = machine_name(plan.cluster->name);
  asked.precision = plan.step.precision;
  asked.stack = stack_name(options.software.stack, asked.chip, asked.sort);
  asked.tokens = tokens_of(plan.model.name);
  asked.stack_in_use = plan.software.stack.stack;
  asked.fusion = options.software.fusion;
  asked.settings = settings_texts(options);
  asked.source = request.anchor_source;
  asked.splits_model = plan.step.parallelism.ranks() != plan.step.parallelism.batch_ranks();
  asked.accelerators = plan.cluster->ranks();
  asked.global_batch = plan.global_batch();
  asked.micro_batch = plan.step.batch_per_accelerator / plan.step.micro_batches;
  return asked;
}

Evidence all_evidence(const PredictRequest& request) {
  std::vector<ParsedAnchor> measured;
  for (const Profile& profile : profiles_of(request))
    measured.insert(measured.end(), profile.anchors.begin(), profile.anchors.end());
  return measured.empty() ? request.anchors : request.anchors.with(measured);
}

StepBasis step_basis(const PredictRequest& request, const Plan& plan, const KernelCost& cost,
                     const std::optional<OpenSoftware>& open) {
  const RunTraits asked = asked_run(request, plan);
  const Evidence evidence = all_evidence(request);
  auto first = nearest_run(asked, evidence);
  // The pace of another precision's kernels is that of other units.
  StepBasis basis = first && !first->apart.precision ? on_run(request, plan, asked, evidence, std::move(*first))
                                                     : without_run(plan, cost, asked, evidence);
  basis.open = open;
  basis.is_open = request.is_open;
  return basis;
}

Footing footing(const StepBasis& basis) {
  if (!undecided(basis)) return footing_of_runs(basis);
  return basis.open->fusions_differ ? Footing::open_fusion : Footing::open_software;
}

// Without a named stack, the spread between stacks on record widens the interval, and so does that of products where the
// chip's own were not measured.
StepDifficulty difficulty(const StepBasis& basis) {
  double apart = 0;
  if (undecided(basis))
    apart = std::log(std::max(basis.open->longest / basis.open->step, basis.open->step / basis.open->shortest));
  return {footing(basis), basis.linear, apart, basis.bare_roofline, basis.pooled_products ? kPooledSpread : 0};
}

Statement distance(const StepBasis& basis) {
  Statement said = basis.first ? distance(*basis.first) : basis.without_run;
  if (basis.second) said.add("; ", distance(*basis.second));
  if (undecided(basis))
    said.add("; no software named: the median of ", named("stacks", static_cast<int>(basis.open->stacks)),
             " on record, ", named("shortest", basis.open->shortest), " to ", named("longest", basis.open->longest));
  const auto year = basis.open ? stack_year(basis.open->stack.stack) : std::nullopt;
  if (year) said.add("; with software of ", named("software_year", *year));
  return said;
}

TrustWord trust(const StepBasis& basis) {
  if (undecided(basis) && basis.open->code_bases_differ)
    return {TrustLevel::weak, "no software named, and what is on record differs: --set stack="};
  TrustWord word{TrustLevel::weak, basis.of_operators ? "kernels by what single operators reach, not by a run"
                                                      : "no step of this network on this accelerator is on record"};
  if (basis.first) word = trust(basis.second ? *basis.second : *basis.first);
  if (word.level >= TrustLevel::fair) return word;
  if (footing_of_runs(basis) == Footing::over_pcie)
    return {TrustLevel::fair, "one accelerator is on record, several exchange over PCIe"};
  if (undecided(basis) && basis.open->fusion_alone)
    return {TrustLevel::fair, "fused operators and separate ones are on record, and differ: --set fusion="};
  if (undecided(basis))
    return {TrustLevel::fair, "no release of the software named, and those on record differ: --set stack="};
  return word;
}

}  // namespace mlsim::sim
