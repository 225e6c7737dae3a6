#include "validation/cases/evidence.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/text/errors.hpp"
#include "sim/evidence/anchor_traits.hpp"
#include "topologies/accelerator_file.hpp"
#include "topologies/build_cluster.hpp"
#include "workloads/convergence/recipe_round.hpp"
#include "workloads/model/network_name.hpp"

namespace mlsim::validation {
namespace {

bool same_chip(const std::string& a, const std::string& b) { return a == b || same_speed(a, b); }

bool hides(Hidden what, const Case& c, const Case& other) {
  const std::string &stack = c.options.software.stack, &others = other.options.software.stack;
  switch (what) {
    case Hidden::nothing: return false;
    case Hidden::own: return publisher(c.id) == publisher(other.id);
    case Hidden::table: return c.source == other.source;
    case Hidden::network: return network_name(c.workload) == network_name(other.workload);
    case Hidden::chip: return same_chip(accelerator_name(c.topology), accelerator_name(other.topology));
    case Hidden::release: return stack == others;
    case Hidden::era: break;
  }
  const auto round = mlperf_round(stack), of_other = mlperf_round(others);
  return of_other && *of_other >= *round;
}

// Words by which the source of a constant names a publisher's tables.
const std::vector<std::pair<std::string_view, std::string_view>> kCitations = {
    {"dle", "DeepLearningExamples"},
    {"dlperf", "DLPerf"},
    {"mlperf", "MLPerf"},
    {"mlperf", "terms of mlperf"},
    {"mlbench", "mlbench"},
    {"horovod", "horovod/horovod"},
    {"tf2017", "docs_src/performance"},
    {"lambda", "lambda-tensorflow-benchmark/logs"}};

// A source's first clause says where its numbers are from, the others where it holds or what else was taken.
bool stems_from(const Source& source, const std::string& of) {
  const std::string_view numbers = std::string_view(source.source).substr(0, source.source.find(';'));
  return std::any_of(kCitations.begin(), kCitations.end(), [&](const auto& citation) {
    return citation.first == of && numbers.find(citation.second) != std::string_view::npos;
  });
}

Profile without_publisher(Profile profile, const std::string& of) {
  std::erase_if(profile.efficiency, [&](const EfficiencyCurve& curve) { return stems_from(curve.source, of); });
  for (StackTerm& stack : profile.stacks) {
    if (!stems_from(stack.source, of)) continue;
    stack.step_overhead = stack.dispatch = stack.per_kernel = stack.input_per_sample = Seconds(0);
    stack.normalization_contention.reset();
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

Profile profile_left(const Asking& asking, const Case& c, const Profile& profile) {
  switch (asking.hidden) {
    case Hidden::own: return without_publisher(profile, publisher(c.id));
    case Hidden::era: return without_rounds_from(profile, *mlperf_round(c.options.software.stack));
    case Hidden::chip: break;
    default: return profile;
  }
  Profile left = profile;
  if (same_chip(profile.accelerator, accelerator_name(c.topology))) left.efficiency.clear();
  return left;
}

}  // namespace

bool visible(const Asking& asking, const Case& c, const Case& other) {
  if (asking.anchors == AnchorSizes::one_box && nodes_of(other.topology, other.accelerators) > 1) return false;
  return !hides(asking.hidden, c, other);
}

EvidenceShelf::EvidenceShelf(const Asking& asking, const std::vector<Case>& cases, const SharedList<Profile>& profiles)
    : asking_(asking), cases_(cases), profiles_(profiles), anchors_(anchors_from(cases)) {}

std::string EvidenceShelf::key_of(const Case& c) const {
  switch (asking_.hidden) {
    case Hidden::nothing: return {};
    case Hidden::own: return publisher(c.id);
    case Hidden::table: return c.source;
    case Hidden::network: return std::string(network_name(c.workload));
    case Hidden::chip: return accelerator_name(c.topology);
    case Hidden::release: return c.options.software.stack;
    case Hidden::era: break;
  }
  return std::to_string(*mlperf_round(c.options.software.stack));
}

SharedList<Profile> EvidenceShelf::profiles_left(const Case& c) const {
  if (asking_.hidden != Hidden::own && asking_.hidden != Hidden::chip && asking_.hidden != Hidden::era)
    return profiles_;
  std::vector<Profile> profiles;
  for (const Profile& profile : profiles_) profiles.push_back(profile_left(asking_, c, profile));
  return profiles;
}

Evidence EvidenceShelf::left_for(const Case& c) const {
  std::vector<Case> seen;
  std::vector<ParsedAnchor> anchors = anchors_;
  std::size_t number = 0;
  for (const Case& other : cases_) {
    if (other.role != Role::anchor) continue;
    if (visible(asking_, c, other))
      seen.push_back(other);
    else
      anchors[number].workload.clear();
    ++number;
  }
  return {std::move(seen), std::move(anchors), profiles_left(c)};
}

const Evidence& EvidenceShelf::of(const Case& c) {
  if (std::string key = key_of(c); key_ != key) {
    kept_ = left_for(c);
    key_ = std::move(key);
  }
  return kept_;
}

}  // namespace mlsim::validation
