#include "sim/evidence/anchor_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/evidence/anchor_traits.hpp"
#include "topologies/accelerator_file.hpp"
#include "workloads/convergence/recipe_round.hpp"
#include "workloads/model/network_name.hpp"
#include "workloads/model/padding.hpp"

namespace mlsim::sim {
namespace {

// Of one code base the nearest round first; below 1, which is another code base.
double round_distance(const std::string& asked, const std::string& stack) {
  const std::string base = code_base(asked), other = code_base(stack);
  if (!base.starts_with(other) && !other.starts_with(base)) return 1;
  const auto round = mlperf_round(asked), its = mlperf_round(stack);
  const double apart = round && its ? std::abs(*round - *its) : 0;
  return 1 - 0.5 / (1 + apart);
}

// Where the question names no stack, an anchor that names none was asked for in the same words.
double stack_distance(const AnchorQuestion& question, const std::string& stack) {
  const std::string& asked = question.options.software.stack;
  if (stack == asked) return 0;
  if (asked.empty()) return stack == question.default_stack ? 0.5 : 1;
  return round_distance(asked, stack);
}

bool same_version(const AnchorQuestion& question, const ParsedAnchor& anchor) {
  return anchor.workload == question.workload ||
         computed_workload(anchor.workload, anchor.options.software.stack) ==
             computed_workload(question.workload, question.options.software.stack);
}

// Lower is nearer, compared from the front.
using Rank = std::array<double, 10>;

Rank rank_of(const AnchorQuestion& question, const ParsedAnchor& anchor) {
  const Options &asked = question.options, &run = anchor.options;
  const auto differs = [](const auto& wanted, const auto& given) { return !wanted || wanted == given ? 0.0 : 1.0; };
  return {
      same_rate_on(question.accelerator, anchor.precision, question.precision) ? 0.0 : 1.0,
      stack_distance(question, run.software.stack),
      question.source.empty() || anchor.source.source.starts_with(question.source) ? 0.0 : 1.0,
      same_version(question, anchor) ? 0.0 : 1.0,
      differs(asked.input.data, run.input.data) + differs(asked.software.servers.update, run.software.servers.update) +
          differs(asked.software.optimizer, run.software.optimizer),
      machine_name(anchor.topology) == machine_name(question.topology) ? 0.0 : 1.0,
      anchor.accelerators > question.accelerators ? 1.0 : 0.0,  // never lean on a larger system if there is a smaller
      static_cast<double>(anchor.accelerators),
      -anchor.global_batch,
      run == asked ? 0.0 : 1.0};
}

// The nearest of the anchors of the same network on an accelerator that `suits`; null where there is none.
template <class Suits>
const ParsedAnchor* nearest(const AnchorQuestion& question, const std::vector<ParsedAnchor>& anchors, Suits suits) {
  const ParsedAnchor* best = nullptr;
  Rank best_rank{};
  for (const auto& anchor : anchors) {
    if (network_name(anchor.workload) != network_name(question.workload)) continue;
    const Rank rank = rank_of(question, anchor);
    if (best != nullptr && !(rank < best_rank)) continue;
    if (!suits(accelerator_name(anchor.topology))) continue;
    best = &anchor;
    best_rank = rank;
  }
  return best;
}

// Whether the run was set in any way that is asked for otherwise and changes a step; how a rank's batch is split is the
// micro-batch's matter, and what is not said agrees with all.
bool set_otherwise(const Options& asked, const Options& run) {
  const auto differs = [](const auto& wanted, const auto& given) { return wanted && wanted != given; };
  return !(asked.exchange == run.exchange && asked.parallelism == run.parallelism && asked.defects == run.defects &&
           asked.stragglers == run.stragglers && asked.memory.recompute == run.memory.recompute &&
           asked.software.attention == run.software.attention &&
           asked.memory.sharded_update == run.memory.sharded_update) ||
         differs(asked.input.data, run.input.data) || differs(asked.software.optimizer, run.software.optimizer) ||
         differs(asked.software.servers.update, run.software.servers.update);
}

AnchorChoice choice_of(const AnchorQuestion& question, const std::vector<ParsedAnchor>& anchors,
                       const ParsedAnchor& anchor) {
  AnchorChoice choice;
  choice.anchor = anchor;
  choice.place = static_cast<std::size_t>(&anchor - anchors.data());
  choice.doublings = std::log2(static_cast<double>(question.accelerators) / anchor.accelerators);
  choice.batch_ratio = question.micro_batch / micro_batch(anchor);
  choice.other_precision = !same_rate_on(question.accelerator, anchor.precision, question.precision);
  choice.other_settings = set_otherwise(question.options, anchor.options);
  choice.other_split = question.splits_model && anchor.parallelism.empty();
  choice.other_version = !same_version(question, anchor);
  const std::string &stack = question.options.software.stack, &other = anchor.options.software.stack;
  choice.other_stack = !stack.empty() && stack != other;
  choice.other_code = choice.other_stack && code_base(stack) != code_base(other);
  choice.other_tables = choice.other_stack && tables_of(stack) != tables_of(other);
  return choice;
}

// "DLPerf V100: github.com/..." -> "DLPerf V100": the name of a table in front of a row's citation.
std::string table_of(const ParsedAnchor& anchor) {
  return anchor.source.source.substr(0, anchor.source.source.find(':'));
}

// Whether two runs differ in nothing but their size and how a rank's batch is split.
bool same_but_size(const ParsedAnchor& a, const ParsedAnchor& b) {
  const auto rest = [](Options options) {
    options.memory.accumulation.reset();
    return options;
  };
  return a.workload == b.workload && a.precision == b.precision && table_of(a) == table_of(b) &&
         machine_name(a.topology) == machine_name(b.topology) && rest(a.options) == rest(b.options);
}

// Distances within which errors stay small.
constexpr double kFewDoublings = 3;
constexpr double kSameBatch = 0.1;  // doublings of the micro-batch

bool batch_changed(const AnchorChoice& choice) { return std::abs(std::log2(choice.batch_ratio)) > kSameBatch; }

// "off a measured step by 8 doublings, batch x0.0625"
Statement trust_reason(const AnchorChoice& choice, const std::string& anchor_stack) {
  if (choice.other_precision) return "only another precision is on record";
  if (choice.other_code) return {"only another code base is on record: ", anchor_stack};
  std::vector<Statement> parts;
  if (choice.doublings != 0)
    parts.push_back(
        {named("doublings", std::abs(choice.doublings)), std::abs(choice.doublings) == 1 ? " doubling" : " doublings"});
  if (batch_changed(choice)) parts.push_back({"batch x", named("batch_ratio", choice.batch_ratio)});
  if (choice.other_stack) parts.emplace_back("another release");
  if (choice.other_version) parts.emplace_back("another version of the network");
  if (choice.other_split) parts.emplace_back("a split model");
  if (choice.other_settings) parts.emplace_back("other settings");
  if (parts.empty()) return "this step is on record";
  return {"off a measured step by ", joined(parts, ", ")};
}

}  // namespace

std::optional<AnchorChoice> choose_anchor(const AnchorQuestion& question, const std::vector<ParsedAnchor>& anchors) {
  const ParsedAnchor* best =
      nearest(question, anchors, [&](const std::string& name) { return name == question.accelerator; });
  if (best == nullptr) {
    best = nearest(question, anchors,
                   [&](const std::string& name) { return !name.empty() && same_speed(name, question.accelerator); });
  }
  if (best == nullptr) return std::nullopt;
  return choice_of(question, anchors, *best);
}

std::optional<AnchorChoice> choose_second_anchor(const AnchorQuestion& question, const AnchorChoice& first,
                                                 const std::vector<ParsedAnchor>& anchors) {
  if (first.anchor.accelerators != 1) return std::nullopt;
  const std::string accelerator = accelerator_name(first.anchor.topology);
  const ParsedAnchor* best = nullptr;
  const auto rank = [&](const ParsedAnchor& anchor) {
    return std::pair(-anchor.accelerators, std::abs(std::log(micro_batch(anchor) / question.micro_batch)));
  };
  for (const auto& anchor : anchors) {
    if (anchor.accelerators < 2 || anchor.accelerators > question.accelerators) continue;
    if (!same_but_size(anchor, first.anchor) || accelerator_name(anchor.topology) != accelerator) continue;
    if (best == nullptr || rank(anchor) < rank(*best)) best = &anchor;
  }
  if (best == nullptr) return std::nullopt;
  return choice_of(question, anchors, *best);
}

Statement AnchorChoice::distance() const {
  Statement said("anchored on ", named("anchor", anchor.id), ": ");
  if (doublings == 0) {
    said.add("same size");
  } else {
    said.add(NamedQuantity{"doublings", "1", doublings, fmt::format("{:+.1f}", doublings)},
             " doublings of accelerators");
  }
  if (batch_ratio == 1)
    said.add(", same batch per accelerator");
  else
    said.add(", batch per accelerator x", named("batch_ratio", batch_ratio));
  if (other_tables) {
    said.add(", another code base");
  } else if (other_stack) {
    said.add(", another software stack");
  }
  if (other_version) said.add(", another version of the network");
  if (other_precision) said.add(", another precision");
  return said;
}

Trust AnchorChoice::trust() const {
  const auto level = [&] {
    if (other_precision || other_code) return TrustLevel::weak;
    if (other_stack || other_version || other_split || batch_changed(*this)) return TrustLevel::fair;
    if (std::abs(doublings) > kFewDoublings) return TrustLevel::fair;
    return doublings == 0 && !other_settings ? TrustLevel::measured : TrustLevel::good;
  };
  return {level(), trust_reason(*this, anchor.options.software.stack)};
}

}  // namespace mlsim::sim
