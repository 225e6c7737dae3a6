#include "sim/parameter_server/server_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "sim/parameter_server/host_links.hpp"

namespace mlsim::sim {
namespace {

constexpr std::string_view kColocated = "colocated";
constexpr int kMostServers = 65536;

void check_model(const Model& model) {
  const auto sends_rows = [](const Layer& layer) { return layer.sparse && layer.trainable && layer.shares < 0; };
  if (std::any_of(model.layers.begin(), model.layers.end(), sends_rows))
    throw Infeasible(
        fmt::format("{} sends rows of embeddings, and parameter servers are modelled for whole tensors; "
                    "variable_update=replicated works",
                    model.name));
}

// Returns the servers of a step on so many nodes; a count of 0 means one on the host of each node.
ServerCount servers_on(int nodes, ServerCount servers) {
  if (servers.apart && nodes == 1)
    throw Infeasible("one node has no network to servers apart from it; servers=colocated works, or two nodes");
  if (!servers.apart && servers.count > nodes)
    throw Infeasible(fmt::format("servers on {} of {} node{}; colocated:{} is the most", servers.count, nodes,
                                 nodes == 1 ? "" : "s", nodes));
  if (servers.count == 0) servers.count = nodes;
  return servers;
}

}  // namespace

ServerCount parse_server_count(std::string_view text) {
  if (text == kColocated) return {};
  ServerCount servers;
  servers.apart = !text.starts_with(kColocated);
  if (!servers.apart) text.remove_prefix(kColocated.size());
  if (!servers.apart && !text.starts_with(':'))
    throw InputError(fmt::format("is none of colocated, colocated:COUNT and COUNT"));
  if (!servers.apart) text.remove_prefix(1);
  servers.count = parse_count(std::string(text));
  if (servers.count > kMostServers) throw InputError(fmt::format("at most {} servers", kMostServers));
  return servers;
}

std::string text(const ServerCount& servers) {
  if (servers.apart) return fmt::format("{}", servers.count);
  return servers.count == 0 ? std::string(kColocated) : fmt::format("{}:{}", kColocated, servers.count);
}

std::optional<ServerPlan> choose_servers(const ServerOptions& options, const Model& model, const Cluster& cluster) {
  if (!options.used()) return std::nullopt;
  check_model(model);
  host_links(cluster);  // refuses a machine without hosts
  const auto servers = servers_on(cluster.nodes, options.count);
  const auto tensors = trained_tensors(model);

  ServerPlan plan;
  plan.rates = fitted_server_rates();
  plan.tensors = static_cast<int>(tensors.size());
  plan.apart = servers.apart ? servers.count : 0;
  const bool copies = options.update == VariableUpdate::distributed_replicated;
  if (copies) plan.update = ServerPlan::Update::distributed_replicated;
  plan.device = options.device.value_or(ServerPlan::Device::gpu);
  const bool in_box = plan.on_accelerators(cluster.nodes);
  const int count = in_box ? cluster.accelerators_per_node : servers.count;
  if (options.placement && count == 1)
    throw InputError(fmt::format("--set server_placement={}", name(*options.placement)),
                     "changes nothing: one server holds all");
  // tf_cnn_benchmarks (variable_mgr.py, benchmark_cnn.py) places by bytes with replica_device_setter where workers
  // fetch their variables from servers, and uses its default where they keep copies.
  const auto usual = copies && !in_box ? TensorPlacement::round_robin : TensorPlacement::greedy;
  plan.shares = server_shares(tensors, count, options.placement.value_or(usual));
  return plan;
}

}  // namespace mlsim::sim
