#include "replay/execution/node_exchanges.hpp"

#include <fmt/format.h>

#include <boost/graph/adjacency_list.hpp>
#include <cmath>

#include "core/text/errors.hpp"
#include "replay/execution/server_exchange.hpp"

namespace mlsim::replay {
namespace {

using namespace workloads;

std::unique_ptr<calibrate::Exchange> collective_of(const StepNode& node, int rank, int ranks,
                                                   calibrate::Communicator& library) {
  const std::size_t elements = payload_elements(node, ranks), part = elements / static_cast<std::size_t>(ranks);
  const auto run = [&](CollectiveKind kind, std::size_t count) {
    return library.exchange({kind, Precision::fp32, count, rank, ranks});
  };
  const PartsFactory parts = [&](std::size_t count) {
    return run(CollectiveKind::all_to_all, count * static_cast<std::size_t>(ranks));
  };
  switch (node.collective) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather: return run(node.collective, elements);
    case CollectiveKind::parameter_push: return std::make_unique<PushExchange>(parts, part, ranks);
    case CollectiveKind::parameter_pull: return std::make_unique<PullExchange>(parts, part, ranks);
    default: throw Unavailable(fmt::format("\"{}\" is not run here", node.name));
  }
}

}  // namespace

std::size_t payload_elements(const StepNode& node, int ranks) {
  const auto elements = static_cast<std::size_t>(std::ceil(node.payload.value / sizeof(float)));
  if (node.kind == NodeKind::transfer || node.collective == CollectiveKind::all_reduce) return elements;
  const auto parts = static_cast<std::size_t>(ranks);
  return (elements + parts - 1) / parts * parts;
}

std::map<StepVertex, std::unique_ptr<calibrate::Exchange>> node_exchanges(const ReplayPlan& plan, int rank, int ranks,
                                                                          calibrate::Communicator& library) {
  std::map<StepVertex, std::unique_ptr<calibrate::Exchange>> exchanges;
  for (const StepVertex vertex : boost::make_iterator_range(boost::vertices(plan.graph))) {
    const StepNode& node = plan.graph[vertex];
    if (!is_exchange(node) || !takes_part(node, plan.stage_of(rank))) continue;
    if (node.kind == NodeKind::collective) {
      exchanges[vertex] = collective_of(node, rank, ranks, library);
      continue;
    }
    const bool sends = node.role == rank;  // a stage is a rank
    exchanges[vertex] = library.transfer(
        {sends ? node.peer : node.role, sends, payload_elements(node, ranks), static_cast<int>(vertex)});
  }
  return exchanges;
}

}  // namespace mlsim::replay
