#include "reports/lists/profiles_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/profile/rank_scaling.hpp"
#include "core/text/units_text.hpp"
#include "reports/calibration/calibration_text.hpp"
#include "reports/natural_order.hpp"
#include "reports/text_table.hpp"

namespace mlsim::reports {
namespace {

// "o f s": what of the legend holds.
std::string layout_text(const StackTerm& term) {
  std::string text;
  const auto add = [&](bool holds, char letter) {
    if (holds) text += fmt::format("{}{}", text.empty() ? "" : " ", letter);
  };
  add(term.overlap, 'o');
  add(term.fusion, 'f');
  add(term.sharded_update, 's');
  add(term.wide_gradients, 'w');
  return text;
}

std::string environment(const Profile& profile, const std::string& key) {
  const auto found = profile.environment.find(key);
  return found == profile.environment.end() ? "" : found->second;
}

// Empty where no profile measured anything.
std::string measured_text(const std::vector<Profile>& profiles) {
  TextTable table{{{"measured on", Align::left, true},
                   {"machine"},
                   {"date", Align::left, true},
                   {"kernels", Align::right, true},
                   {"laws", Align::right, true},
                   {"probes", Align::right, true},
                   {"collectives", Align::right, true},
                   {"steps", Align::right, true}},
                  {}};
  for (const Profile& profile : profiles) {
    const std::size_t collectives = profile.collectives.size() + profile.rank_scalings.size();
    if (profile.kernels.empty() && profile.laws.empty() && profile.probes.empty() && collectives == 0) continue;
    table.rows.push_back({profile.accelerator, profile.machine, environment(profile, "date"),
                          std::to_string(profile.kernels.size()), std::to_string(profile.laws.size()),
                          std::to_string(profile.probes.size()), std::to_string(collectives),
                          std::to_string(profile.anchors.size())});
  }
  return table.rows.empty() ? "" : to_text(table) + "\n";
}

std::string laws_text(const std::vector<Profile>& profiles) {
  TextTable table{{{"law of", Align::left, true},
                   {"kernels", Align::left, true},
                   {"precision", Align::left, true},
                   {"threads", Align::right, true},
                   {"fitted", Align::right, true},
                   {"held back", Align::right, true},
                   {"provenance", Align::left, true}},
                  {}};
  for (const Profile& profile : profiles) {
    for (const KernelLaw& law : profile.laws) {
      table.rows.push_back({profile.accelerator, ops_text(law.ops), std::string(name(law.precision)),
                            std::to_string(law.threads), error_text(law.residual), error_text(law.held_back),
                            std::string(name(law.source.provenance))});
    }
  }
  return table.rows.empty() ? "" : to_text(table) + "\n";
}

// "2, 4": the numbers of nodes that a fit over them saw.
std::string nodes_text(const std::vector<int>& nodes) {
  std::string text;
  for (const int each : nodes) text += fmt::format("{}{}", text.empty() ? "" : ", ", each);
  return text;
}

std::string curves_text(const std::vector<Profile>& profiles) {
  TextTable table{{{"collective", Align::left, true},
                   {"by", Align::left, true},
                   {"buffers", Align::left, true},
                   {"machine", Align::left, true},
                   {"ranks", Align::left, true},
                   {"up to", Align::right, true},
                   {"fitted", Align::right, true},
                   {"held back", Align::right, true},
                   {"source", Align::left, true}},
                  {}};
  const auto add = [&](const auto& each, const Profile& profile, const std::string& ranks, const std::string& largest) {
    table.rows.push_back(
        {std::string(name(each.kind)), each.communicator, fmt::format("{} {}", each.device, name(each.precision)),
         each.machine.empty() ? profile.accelerator : each.machine, ranks, largest, error_text(each.residual),
         error_text(each.held_back), std::string(name(each.source.provenance))});
  };
  for (const Profile& profile : profiles) {
    for (const CollectiveCurve& curve : profile.collectives)
      add(curve, profile, fmt::format("{} x {}", curve.nodes, curve.ranks_per_node),
          to_text(curve.knots.back().payload));
    for (const RankScaling& scaling : profile.rank_scalings)
      add(scaling, profile, fmt::format("any x {} (from {})", scaling.ranks_per_node, nodes_text(scaling.nodes)),
          "any");
  }
  return table.rows.empty() ? "" : to_text(table) + "\n";
}

std::string stacks_text(const std::vector<Profile>& profiles) {
  TextTable table{{{"accelerator", Align::left, true},
                   {"stack", Align::left, true},
                   {"workloads", Align::left, true},
                   {"fixed", Align::right, true},
                   {"launch", Align::right, true},
                   {"kernel", Align::right, true},
                   {"slowed", Align::right, true},
                   {"layout", Align::left, true},
                   {"provenance"}},
                  {}};
  const auto time = [](Seconds t) { return t.value == 0 ? std::string("-") : to_text(t); };
  for (const auto& profile : profiles) {
    std::vector<StackTerm> terms = profile.stacks;
    std::stable_sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) {
      return a.stack == b.stack ? a.family < b.family : natural_less(a.stack, b.stack);
    });
    for (const auto& term : terms) {
      const bool usual = !profile.stacks.empty() && term.stack == profile.stacks.front().stack;
      table.rows.push_back({profile.accelerator, term.stack + (usual ? " *" : ""),
                            term.family.empty() ? "any" : term.family, time(term.step_overhead), time(term.dispatch),
                            time(term.per_kernel), fmt::format("{:.1f} %", 100 * term.contention), layout_text(term),
                            std::string(name(term.source.provenance))});
    }
  }
  return with_note(table,
                   "fixed: host and framework time a step; launch: the same for each kernel that the step launches; "
                   "kernel: the framework's time for each kernel; slowed: compute "
                   "while ranks exchange gradients. Layout: o exchange overlaps the backward pass, f elementwise "
                   "operators are fused, s sharded update, w gradients exchanged in fp32. *: the accelerator's usual "
                   "stack.");
}

}  // namespace

std::string profiles_text(const std::vector<Profile>& profiles) {
  return measured_text(profiles) + laws_text(profiles) + curves_text(profiles) + stacks_text(profiles);
}

}  // namespace mlsim::reports
