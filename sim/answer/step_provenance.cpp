#include "sim/answer/answer_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "sim/exchange/planned_exchange.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/step_cost/horovod.hpp"

namespace mlsim::sim {
namespace {

const Source kClosedForm{Provenance::fitted, "closed form on the system's own links", ""};

// Names are "all-reduce", "all-reduce over tensor", "send-receive".
std::string exchange_name(const ExchangeKey& key, bool one_axis) {
  return one_axis || key.axes.empty() ? std::string(name(key.kind))
                                      : fmt::format("{} over {}", name(key.kind), to_text(key.axes));
}

// An `AlgorithmUse` is what runs by one algorithm.
struct AlgorithmUse {
  std::vector<std::string> exchanges;
  const PlannedExchange* planned = nullptr;

  std::string names() const { return fmt::format("{}", fmt::join(exchanges, ", ")); }
};

// Sorts uses by algorithm, or by what was measured: most steps use one for all their collectives, which is named once.
std::map<std::string, AlgorithmUse> algorithm_uses(const LoweredPlan& lowered) {
  std::map<std::string, AlgorithmUse> uses;
  for (const auto& [key, planned] : lowered.collectives) {
    AlgorithmUse& use = uses[planned.name()];
    const std::string exchange = exchange_name(key, !lowered.mesh);
    if (std::find(use.exchanges.begin(), use.exchanges.end(), exchange) == use.exchanges.end())
      use.exchanges.push_back(exchange);
    use.planned = &planned;
  }
  return uses;
}

// Adds the servers of the first exchange with any; all exchanges go to the same.
void add_servers(std::vector<ProvenanceEntry>& entries, const LoweredPlan& lowered) {
  for (const auto& [key, planned] : lowered.collectives) {
    const auto rates = planned.rates();
    if (!rates) continue;
    entries.push_back(*rates);
    return;
  }
}

Statement link_statement(BytesPerSecond bandwidth, double share, const std::string& library) {
  Statement said(named("bandwidth", bandwidth), " a direction, ", named_percent("reached", share), " of it reached");
  if (!library.empty()) said.add(" by ", named("library", library));
  return said;
}

// Adds every kind of link that the system has, once.
void add_links(std::vector<ProvenanceEntry>& entries, const Cluster& cluster, const LinkEfficiency& efficiency) {
  std::vector<bool> seen(efficiency.by_kind.size(), false);
  for (LinkIndex i = 0; i < cluster.links(); ++i) {
    const LinkKind kind = cluster.link(i).kind;
    if (seen[static_cast<std::size_t>(kind)]) continue;
    seen[static_cast<std::size_t>(kind)] = true;
    const auto& entry = efficiency[kind];
    const bool of_library = kind == LinkKind::nic && !efficiency.communicator.empty();
    entries.push_back(
        {fmt::format("{} links", link_kind_name(kind)),
         link_statement(cluster.link(i).bandwidth, entry.share, of_library ? efficiency.communicator : ""),
         entry.source});
  }
}

}  // namespace

std::vector<Statement> exchange_statements(const LoweredPlan& lowered) {
  std::vector<Statement> statements;
  for (const auto& [algorithm, use] : algorithm_uses(lowered)) {
    Statement said;
    for (const auto& exchange : use.exchanges) {
      if (!said.text.empty()) said.add(", ");
      said.add(named("exchange", exchange));
    }
    statements.push_back({said, " ", use.planned->statement()});
  }
  return statements;
}

std::vector<ProvenanceEntry> exchange_provenance(const CostedStep& step) {
  std::vector<ProvenanceEntry> entries;
  if (follows_speed(step.cost())) entries = step.basis().sources;
  const LoweredPlan& lowered = step.lowered();
  add_servers(entries, lowered);
  for (const auto& [algorithm, use] : algorithm_uses(lowered)) entries.push_back(use.planned->provenance(use.names()));
  if (lowered.mesh)
    entries.push_back(
        {"device mesh", {named("mesh", lowered.mesh->mesh.text()), ": ", lowered.mesh->reason}, kClosedForm});
  return entries;
}

std::vector<ProvenanceEntry> machine_provenance(const CostedStep& step) {
  const Plan& plan = step.plan();
  const StackTerm& stack = plan.software.stack;
  const auto& memory = plan.cluster->accelerator.memory;
  std::vector<ProvenanceEntry> entries = kernel_entries(step.cost(), step.kernels());
  entries.push_back({"fixed step time",
                     {named("time", step.cost().framework_time()), " (",
                      named("stack", stack.stack.empty() ? "no stack" : stack.stack), ")"},
                     stack.source});
  if (memory.value.value > 0) entries.push_back({"memory", named("size", memory.value), memory.source});
  if (plan.cluster->ranks() > 1) add_links(entries, *plan.cluster, plan.efficiency);
  if (step.lowered().cycles)
    entries.push_back({"Horovod",
                       horovod_statement(*step.lowered().cycles, plan.options.exchange.horovod),
                       {Provenance::published, "horovod/horovod, horovod/common/operations.cc", ""}});
  return entries;
}

}  // namespace mlsim::sim
