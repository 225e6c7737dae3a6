#include "sim/evidence/anchored_speed.hpp"

#include <algorithm>
#include <cmath>

#include "sim/evidence/run_pace.hpp"
#include "sim/evidence/speed_prior.hpp"
#include "sim/step_cost/step_terms.hpp"

namespace mlsim::sim {
namespace {

SpeedTraits traits_of(const Plan& plan, const std::string& workload, const std::string& stack) {
  return speed_traits(plan.cluster->accelerator.name, plan.step.precision, workload, stack);
}

AnchoredSpeed without_anchor(const PredictRequest& request, const Plan& plan, const KernelCost& cost) {
  const bool curve = cost.curve().source.provenance != Provenance::datasheet;
  AnchoredSpeed speed;
  speed.pace = {cost.pace().speed, stack_contention(plan)};
  speed.difficulty.bare_roofline = !curve;
  speed.distance = Statement("no step of ", named("workload", plan.model.name), " on ",
                             named("accelerator", plan.cluster->accelerator.title), " in ",
                             named("precision", name(plan.step.precision)),
                             " is on record: ", curve ? "efficiency curve of other networks" : "bare roofline");
  speed.trust = {TrustLevel::weak, "no step of this network on this accelerator is on record"};
  speed.provenance = {{"kernel speed", speed.distance, cost.curve().source}};
  const SpeedPrior& prior = speed_prior(all_anchors(request), plan.cluster->accelerator.name);
  if (!curve || prior.empty()) return speed;
  speed.pace.speed = prior.speed(traits_of(plan, plan.model.name, request.options.software.stack));
  speed.provenance.push_back(
      {"kernel speed",
       {"curve x", named("speed", speed.pace.speed), ", what ", named("runs", static_cast<int>(prior.runs())),
        " runs of other networks, accelerators and software have in common with it"},
       {Provenance::fitted, "shrunken additive effects of chip, network and code base", ""}});
  return speed;
}

// Of the plan, did every accelerator keep its rate.
Seconds linear_step(const ParsedAnchor& anchor, const Plan& plan) {
  return plan.global_batch() / (anchor.throughput * (static_cast<double>(plan.cluster->ranks()) / anchor.accelerators));
}

Footing footing_of(const AnchorChoice& run, const Plan& plan) {
  if (!run.same_software()) return Footing::other_software;
  const bool alone = run.anchor.accelerators == 1 && plan.cluster->ranks() > 1;
  return alone && plan.cluster->interconnect == Interconnect::pcie ? Footing::over_pcie : Footing::same_software;
}

void add_second(AnchoredSpeed& speed, const PredictRequest& request, const Plan& plan,
                const SharedList<ParsedAnchor>& anchors, const AnchorChoice& second) {
  speed.pace.contention = run_contention(anchors, second.place, speed.pace.speed, request);
  speed.difficulty.linear = linear_step(second.anchor, plan);
  if (second.same_software()) speed.difficulty.footing = Footing::same_software;
  speed.distance.add("; ", second.distance());
  speed.trust = second.trust();
  speed.provenance.push_back(
      {"contention",
       {"kernels ", named_percent("contention", speed.pace.contention), " slower beside others, so that ",
        named("anchor", second.anchor.id), " takes ", named("step", measured_step(second.anchor)), " a step"},
       second.anchor.source});
}

}  // namespace

AnchorQuestion question_of(const PredictRequest& request, const Plan& plan) {
  AnchorQuestion question;
  question.workload = plan.model.name;
  question.accelerator = plan.cluster->accelerator.name;
  question.topology = plan.cluster->name;
  question.source = request.anchor_source;
  question.precision = plan.step.precision;
  question.options = request.options;
  question.options.job.goal = {};  // tells of no run
  question.default_stack = plan.software.stack.stack;
  question.accelerators = plan.cluster->ranks();
  question.splits_model = plan.step.parallelism.ranks() != plan.step.parallelism.batch_ranks();
  question.micro_batch = plan.step.batch_per_accelerator / plan.step.micro_batches;
  return question;
}

SharedList<ParsedAnchor> all_anchors(const PredictRequest& request) {
  std::vector<ParsedAnchor> measured;
  for (const Profile& profile : profiles_of(request))
    measured.insert(measured.end(), profile.anchors.begin(), profile.anchors.end());
  if (measured.empty()) return request.anchors;
  std::vector<ParsedAnchor> anchors = request.anchors;
  anchors.insert(anchors.end(), measured.begin(), measured.end());
  return anchors;
}

AnchoredSpeed anchored_speed(const PredictRequest& request, const Plan& plan, const KernelCost& cost) {
  const AnchorQuestion question = question_of(request, plan);
  const SharedList<ParsedAnchor> anchors = all_anchors(request);
  const auto first = choose_anchor(question, anchors);
  // The pace of another precision's kernels is that of other units.
  if (!first || first->other_precision) return without_anchor(request, plan, cost);
  const Seconds measured = measured_step(first->anchor);
  AnchoredSpeed speed;
  speed.anchored = true;
  speed.pace = {kernel_speed(anchors, first->place, request), stack_contention(plan)};
  if (first->other_code) {
    const std::string& stack = request.options.software.stack;
    speed.pace.speed *=
        speed_prior(anchors, plan.cluster->accelerator.name)
            .software_ratio(traits_of(plan, plan.model.name, stack),
                            traits_of(plan, first->anchor.workload, first->anchor.options.software.stack));
  }
  speed.difficulty.footing = footing_of(*first, plan);
  speed.difficulty.linear = linear_step(first->anchor, plan);
  speed.distance = first->distance();
  speed.trust = first->trust();
  speed.provenance = {{"kernel speed",
                       {"efficiency curve x", named("speed", speed.pace.speed), ", so that ",
                        named("anchor", first->anchor.id), " takes ", named("step", measured), " a step"},
                       first->anchor.source}};
  if (const auto second = choose_second_anchor(question, *first, anchors))
    add_second(speed, request, plan, anchors, *second);
  if (speed.difficulty.footing == Footing::over_pcie && speed.trust.level < TrustLevel::fair)
    speed.trust = {TrustLevel::fair, "one accelerator is on record, several exchange over PCIe"};
  return speed;
}

}  // namespace mlsim::sim
