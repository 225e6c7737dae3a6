// These tables list what profiles hold.
#include "reports/pages/lists.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/profile/rank_scaling.hpp"
#include "core/text/units_text.hpp"
#include "reports/figure_text.hpp"
#include "reports/pages/pages.hpp"

namespace mlsim::reports {
namespace {

// Writes "o f s": the letters of the legend that hold.
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

// The table has no rows where no profile measured anything.
Table measured_table(const std::vector<Profile>& profiles) {
  Table table = table_of(name_columns("measured on"), word_columns("machine"), name_columns("date"),
                         figure_columns("kernels", "laws", "probes", "collectives", "steps"));
  for (const Profile& profile : profiles) {
    const std::size_t collectives = profile.collectives.size() + profile.rank_scalings.size();
    if (profile.kernels.empty() && profile.laws.empty() && profile.probes.empty() && collectives == 0) continue;
    table.rows.push_back({profile.accelerator, profile.machine, environment(profile, "date"),
                          std::to_string(profile.kernels.size()), std::to_string(profile.laws.size()),
                          std::to_string(profile.probes.size()), std::to_string(collectives),
                          std::to_string(profile.anchors.size())});
  }
  return table;
}

Table laws_table(const std::vector<Profile>& profiles) {
  Table table = table_of(name_columns("law of", "kernels", "precision"),
                         figure_columns("threads", "fitted", "held back"), name_columns("provenance"));
  for (const Profile& profile : profiles) {
    for (const KernelLaw& law : profile.laws) {
      table.rows.push_back({profile.accelerator, ops_text(law.ops), name(law.precision), std::to_string(law.threads),
                            error_text(law.residual), error_text(law.held_back), name(law.source.provenance)});
    }
  }
  return table;
}

// Writes "2, 4": the numbers of nodes that a fit over them saw.
std::string nodes_text(const std::vector<int>& nodes) {
  std::string text;
  for (const int each : nodes) text += fmt::format("{}{}", text.empty() ? "" : ", ", each);
  return text;
}

Table curves_table(const std::vector<Profile>& profiles) {
  Table table = table_of(name_columns("collective", "by", "buffers", "machine", "ranks"),
                         figure_columns("up to", "fitted", "held back"), name_columns("source"));
  const auto add = [&](const auto& each, const Profile& profile, const std::string& ranks, const std::string& largest) {
    table.rows.push_back({name(each.kind), each.communicator, fmt::format("{} {}", each.device, name(each.precision)),
                          each.machine.empty() ? profile.accelerator : each.machine, ranks, largest,
                          error_text(each.residual), error_text(each.held_back), name(each.source.provenance)});
  };
  for (const Profile& profile : profiles) {
    for (const CollectiveCurve& curve : profile.collectives)
      add(curve, profile, fmt::format("{} x {}", curve.nodes, curve.ranks_per_node),
          to_text(curve.knots.back().payload));
    for (const RankScaling& scaling : profile.rank_scalings)
      add(scaling, profile, fmt::format("any x {} (from {})", scaling.ranks_per_node, nodes_text(scaling.nodes)),
          "any");
  }
  return table;
}

// The table lists the stacks of one accelerator.
Table stacks_table(const Profile& profile) {
  Table table = table_of(name_columns("stack", "workloads"), figure_columns("fixed", "launch", "kernel", "slowed"),
                         name_columns("layout", "provenance"));
  const auto time = [](Seconds t) { return t.value == 0 ? std::string("-") : to_text(t); };
  std::vector<StackTerm> terms = profile.stacks;
  std::stable_sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) {
    return a.stack == b.stack ? a.family < b.family : natural_less(a.stack, b.stack);
  });
  for (const auto& term : terms) {
    const bool usual = term.stack == profile.stacks.front().stack;
    table.rows.push_back({term.stack + (usual ? " *" : ""), term.family.empty() ? "any" : term.family,
                          time(term.step_overhead), time(term.dispatch), time(term.per_kernel),
                          fmt::format("{:.1f} %", 100 * term.contention), layout_text(term),
                          name(term.source.provenance)});
  }
  return table;
}

}  // namespace

Page profiles_page(const std::vector<Profile>& profiles) {
  Page page;
  for (const Table& table : {measured_table(profiles), laws_table(profiles), curves_table(profiles)})
    if (!table.rows.empty()) page.add({PageTable{table}});
  for (const Profile& profile : profiles)
    if (!profile.stacks.empty()) page.add({PageText{profile.accelerator + ":"}, PageTable{stacks_table(profile)}});
  page.add(
      {PageText{"fixed: host and framework time a step; launch: the same for each kernel that the step launches; "
                "kernel: the framework's time for each kernel; slowed: compute "
                "while ranks exchange gradients. Layout: o exchange overlaps the backward pass, f elementwise "
                "operators are fused, s sharded update, w gradients exchanged in fp32. *: the accelerator's usual "
                "stack."}});
  return page;
}

}  // namespace mlsim::reports
