#include "sim/parameter_server/server_exchange.hpp"

#include <numeric>
#include <utility>

#include "sim/fold/program_builder.hpp"
#include "sim/parameter_server/tensor_placement.hpp"

namespace mlsim::sim {
namespace {

// The text is "variables in host memory" or "8 servers on the nodes' hosts, the fullest with 1.9 times the mean".
Statement text_of(const ServerPlan& plan, const Cluster& cluster) {
  const auto servers = named("servers", static_cast<int>(plan.shares.size()));
  const Statement fullest("the fullest with ", named("fullest", imbalance(plan.shares)), " times the mean");
  if (plan.on_accelerators(cluster.nodes)) return {"variables spread over ", servers, " accelerators, ", fullest};
  if (plan.shares.size() == 1 && plan.apart == 0) return "variables in host memory";
  return {servers, " servers on ", plan.apart > 0 ? "hosts of their own" : "the nodes' hosts", ", ", fullest};
}

}  // namespace

FlowProgram server_program(const ServerTraffic& traffic, std::vector<std::uint32_t> class_size) {
  FlowProgram program;
  program.links = traffic.links;
  program.rank_classes = static_cast<std::uint32_t>(class_size.size());
  program.class_size = std::move(class_size);
  std::vector<std::uint32_t> all(program.rank_classes);
  std::iota(all.begin(), all.end(), 0U);
  LaneBuilder builder(program, 1);
  for (const ServerPhase& phase : traffic.phases) {
    builder.begin_phase(0, phase.name);
    builder.add_group(all, phase.flows);
    builder.end_phase();
  }
  return program;
}

ServerExchange plan_server_exchange(const Cluster& cluster, const ServerPlan& plan, CollectiveKind kind,
                                    const LinkEfficiency& efficiency) {
  return {plan, kind, ServerCost(cluster, plan, efficiency, kind), text_of(plan, cluster)};
}

FlowProgram server_exchange_program(const ServerExchange& exchange, const Cluster& cluster,
                                    const LinkEfficiency& efficiency, std::vector<std::uint32_t> class_size,
                                    bool folded) {
  const ServerTraffic traffic = folded ? folded_traffic(cluster, exchange.plan, efficiency, exchange.kind)
                                       : full_traffic(cluster, exchange.plan, efficiency, exchange.kind);
  return server_program(traffic, std::move(class_size));
}

}  // namespace mlsim::sim
