#include "validation/cases/evidence.hpp"

#include <algorithm>
#include <utility>

#include "core/text/split.hpp"
#include "workloads/convergence/convergence.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::validation {
namespace {

bool stems_from(const std::optional<std::string>& fitted_on, const std::string& publisher) {
  if (!fitted_on) return false;
  const std::vector<std::string> words = split(*fitted_on, ' ');
  return std::find(words.begin(), words.end(), publisher) != words.end();
}

Profile without_publisher(Profile profile, const std::string& of) {
  std::erase_if(profile.efficiency, [&](const EfficiencyCurve& curve) { return stems_from(curve.fitted_on, of); });
  for (StackTerm& stack : profile.stacks) {
    if (!stems_from(stack.fitted_on, of)) continue;
    stack.step_overhead = stack.dispatch = stack.per_kernel = stack.input_per_sample = Seconds(0);
    stack.normalization_contention.reset();
    stack.per_exchange.reset();
  }
  return profile;
}

Profile without_rounds_from(Profile profile, double round) {
  std::erase_if(profile.stacks, [&](const StackTerm& stack) {
    const auto of = mlperf_round(stack.stack);
    return of && *of >= round;
  });
  return profile;
}

}  // namespace

EvidenceShelf::EvidenceShelf(const Asking& asking, const std::vector<Case>& cases, const SharedList<Profile>& profiles)
    : asking_(asking), cases_(cases), profiles_(profiles), anchors_(anchors_from(cases)) {}

std::string EvidenceShelf::key_of(const Case& c) const {
  switch (asking_.hidden) {
    case Hidden::nothing: return {};
    case Hidden::own: return c.publisher;
    case Hidden::table: return c.source;
    case Hidden::network: return std::string(network_name(c.workload));
    case Hidden::chip: return traits_.chip(c.topology).name;
    case Hidden::release: return c.options.software.stack;
    case Hidden::era: break;
  }
  return std::to_string(*mlperf_round(c.options.software.stack));
}

bool EvidenceShelf::same_chip(const std::string& topology, const std::string& other) const {
  const ChipTraits &a = traits_.chip(topology), &b = traits_.chip(other);
  return a.name == b.name || a.same_speed(b);
}

bool EvidenceShelf::hides(const Case& c, const Case& anchor) const {
  const std::string &stack = c.options.software.stack, &others = anchor.options.software.stack;
  switch (asking_.hidden) {
    case Hidden::nothing: return false;
    case Hidden::own: return c.publisher == anchor.publisher;
    case Hidden::table: return c.source == anchor.source;
    case Hidden::network: return network_name(c.workload) == network_name(anchor.workload);
    case Hidden::chip: return same_chip(c.topology, anchor.topology);
    case Hidden::release: return stack == others;
    case Hidden::era: break;
  }
  const auto round = mlperf_round(stack), of_other = mlperf_round(others);
  return of_other && *of_other >= *round;
}

bool EvidenceShelf::sees(const Case& c, const Case& anchor) const {
  if (asking_.anchors == AnchorSizes::one_box && nodes_.of(anchor.topology, anchor.accelerators) > 1) return false;
  return !hides(c, anchor);
}

Profile EvidenceShelf::profile_left(const Case& c, const Profile& profile) const {
  switch (asking_.hidden) {
    case Hidden::own: return without_publisher(profile, c.publisher);
    case Hidden::era: return without_rounds_from(profile, *mlperf_round(c.options.software.stack));
    case Hidden::chip: break;
    default: return profile;
  }
  Profile left = profile;
  const ChipTraits& chip = traits_.chip(c.topology);
  if (profile.accelerator == chip.name || chip_traits(profile.accelerator).same_speed(chip)) left.efficiency.clear();
  return left;
}

SharedList<Profile> EvidenceShelf::profiles_left(const Case& c) const {
  if (asking_.hidden != Hidden::own && asking_.hidden != Hidden::chip && asking_.hidden != Hidden::era)
    return profiles_;
  std::vector<Profile> profiles;
  for (const Profile& profile : profiles_) profiles.push_back(profile_left(c, profile));
  return profiles;
}

CaseEvidence EvidenceShelf::left_for(const Case& c) const {
  std::vector<Case> seen;
  std::vector<bool> hidden;  // by place among the anchors
  for (const Case& other : cases_) {
    if (other.role != Role::anchor) continue;
    hidden.push_back(!sees(c, other));
    if (!hidden.back()) seen.push_back(other);
  }
  return {std::move(seen), anchors_.without([&](std::size_t place) { return hidden[place]; }), profiles_left(c)};
}

const CaseEvidence& EvidenceShelf::of(const Case& c) {
  if (std::string key = key_of(c); key_ != key) {
    kept_ = left_for(c);
    key_ = std::move(key);
  }
  return kept_;
}

RunTraits case_traits(const Case& c, TraitsReader& reader) {
  RunTraits traits = reader.names(c.topology, c.workload, c.options);
  traits.precision = c.precision;
  traits.source = c.source;
  traits.splits_model = !c.parallelism.empty();
  traits.to_target = c.metric == Metric::time_to_accuracy;
  traits.accelerators = c.accelerators;
  traits.global_batch = c.global_batch.value_or(0);
  traits.micro_batch = traits.batch_each() / c.options.memory.accumulation.value_or(1);
  return traits;
}

}  // namespace mlsim::validation
