#include "sim/anchor_choice.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "core/errors.hpp"
#include "topologies/catalogue.hpp"

namespace mlsim {
namespace {

// "resnet50-v1" -> "resnet50": versions of one network, whose kernels differ in shape but not in kind.
std::string network_of(const std::string& workload) {
  const auto dash = workload.rfind("-v");
  const bool version = dash != std::string::npos && dash + 2 < workload.size() &&
                       workload.find_first_not_of("0123456789.", dash + 2) == std::string::npos;
  return version ? workload.substr(0, dash) : workload;
}

// "dgx2h:nodes=32" is a dgx2h, which runs hotter and faster than a dgx2 with the same accelerators.
std::string machine_of(const std::string& topology) { return topology.substr(0, topology.find(':')); }

// Where the question names no stack, an anchor that names none was asked for in the same words.
double stack_distance(const AnchorQuestion& question, const std::string& stack) {
  const std::string asked = setting(question.settings, "stack");
  if (stack == asked) return 0;
  return asked.empty() && stack == question.default_stack ? 0.5 : 1;
}

// Lower is nearer, compared from the front.
using Rank = std::array<double, 9>;

Rank rank_of(const AnchorQuestion& question, const Anchor& anchor) {
  const auto differs = [&](const std::string& key) {
    const std::string asked = setting(question.settings, key);
    return asked.empty() || asked == setting(anchor.settings, key) ? 0.0 : 1.0;
  };
  return {
      anchor.precision == question.precision ? 0.0 : 1.0,
      question.source.empty() || anchor.source.source.starts_with(question.source) ? 0.0 : 1.0,
      stack_distance(question, setting(anchor.settings, "stack")),
      anchor.workload == question.workload ? 0.0 : 1.0,
      differs("data") + differs("variable_update") + differs("optimizer"),
      machine_of(anchor.topology) == machine_of(question.topology) ? 0.0 : 1.0,
      anchor.accelerators > question.accelerators ? 1.0 : 0.0,  // never lean on a larger system if there is a smaller
      static_cast<double>(anchor.accelerators),
      -anchor.global_batch};
}

std::string accelerator_of(const Anchor& anchor) {
  try {
    return build_cluster(anchor.topology, anchor.accelerators).accelerator.name;
  } catch (const std::runtime_error&) {
    return {};  // an anchor on a machine that this catalogue does not hold helps nobody
  }
}

}  // namespace

std::optional<AnchorChoice> choose_anchor(const AnchorQuestion& question, const std::vector<Anchor>& anchors) {
  const Anchor* best = nullptr;
  Rank best_rank{};
  for (const auto& anchor : anchors) {
    if (network_of(anchor.workload) != network_of(question.workload)) continue;
    const Rank rank = rank_of(question, anchor);
    if (best != nullptr && !(rank < best_rank)) continue;
    if (accelerator_of(anchor) != question.accelerator) continue;
    best = &anchor;
    best_rank = rank;
  }
  if (best == nullptr) return std::nullopt;
  AnchorChoice choice;
  choice.anchor = *best;
  choice.doublings = std::log2(static_cast<double>(question.accelerators) / best->accelerators);
  choice.batch_ratio = question.batch_per_accelerator / (best->global_batch / best->accelerators);
  choice.other_precision = best_rank[0] != 0;
  choice.other_version = best->workload != question.workload;
  const std::string stack = setting(question.settings, "stack");
  choice.other_stack = !stack.empty() && stack != setting(best->settings, "stack");
  return choice;
}

std::string AnchorChoice::distance() const {
  std::string text = fmt::format("anchored on {}: ", anchor.id);
  text += doublings == 0 ? "same size" : fmt::format("{:+.1f} doublings of accelerators", doublings);
  text +=
      batch_ratio == 1 ? ", same batch per accelerator" : fmt::format(", batch per accelerator x{:.3g}", batch_ratio);
  if (other_stack) text += ", another software stack";
  if (other_version) text += ", another version of the network";
  if (other_precision) text += ", another precision";
  return text;
}

double AnchorChoice::log_spread() const {
  const bool batch_changed = std::abs(std::log2(batch_ratio)) > 0.1;
  double spread = doublings <= 3 ? 0.04 : 0.07;
  if (batch_changed) spread = 0.08;
  if (batch_changed && (batch_ratio < 0.25 || batch_ratio > 4) && doublings > 4) spread = 0.15;
  const double stack = other_stack ? 0.12 : 0;
  const double precision = other_precision ? 0.35 : 0;
  const double version = other_version ? 0.05 : 0;
  return std::sqrt(spread * spread + stack * stack + version * version + precision * precision);
}

}  // namespace mlsim
