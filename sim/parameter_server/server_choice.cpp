#include "sim/parameter_server/server_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "core/errors.hpp"
#include "core/split.hpp"
#include "core/units_text.hpp"
#include "sim/parameter_server/host_links.hpp"
#include "sim/parameter_server/tensor_placement.hpp"

namespace mlsim::sim {
namespace {

constexpr std::string_view kColocated = "colocated";
constexpr int kMostServers = 65536;

[[noreturn]] void refuse(const Settings& settings, const std::string& key, const std::string& reason) {
  throw InputError(fmt::format("--set {}={}", key, setting(settings, key)), reason);
}

void check_model(const Model& model) {
  const auto sends_rows = [](const Layer& layer) { return layer.sparse && layer.trainable && layer.shares < 0; };
  if (std::any_of(model.layers.begin(), model.layers.end(), sends_rows))
    throw Infeasible(
        fmt::format("{} sends rows of embeddings, and parameter servers are modelled for whole tensors; "
                    "variable_update=replicated works",
                    model.name));
}

// Servers of a step on so many nodes; 0 of its own hosts means on the nodes'.
ServerCount servers_of(const Settings& settings, int nodes) {
  ServerCount servers;
  if (const auto text = setting(settings, "servers"); !text.empty()) servers = parse_server_count(text);
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

std::optional<ServerPlan> choose_servers(const Settings& settings, const Model& model, const Cluster& cluster) {
  const std::string update = setting(settings, "variable_update");
  if (update != "parameter_server" && update != "distributed_replicated") return std::nullopt;
  check_model(model);
  host_links(cluster);  // refuses a machine without hosts
  const auto servers = servers_of(settings, cluster.nodes);
  const auto tensors = trained_tensors(model);

  ServerPlan plan;
  plan.rates = fitted_server_rates();
  plan.tensors = static_cast<int>(tensors.size());
  plan.apart = servers.apart ? servers.count : 0;
  const std::string device = setting(settings, "local_parameter_device");
  if (update == "distributed_replicated") {
    plan.update = ServerPlan::Update::distributed_replicated;
  }
  plan.device = device == "cpu" ? ServerPlan::Device::cpu : ServerPlan::Device::gpu;
  const bool in_box = plan.on_accelerators(cluster.nodes);
  const int count = in_box ? cluster.accelerators_per_node : servers.count;
  const std::string asked = setting(settings, "server_placement");
  if (!asked.empty() && count == 1) refuse(settings, "server_placement", "changes nothing: one server holds all");
  // tf_cnn_benchmarks, variable_mgr.py and benchmark_cnn.py: replica_device_setter by bytes where workers fetch their
  // variables from servers, and its default where they keep copies.
  const bool copies = plan.update == ServerPlan::Update::distributed_replicated;
  const auto usual = copies && !in_box ? TensorPlacement::round_robin : TensorPlacement::greedy;
  plan.shares = server_shares(tensors, count, asked.empty() ? usual : parse<TensorPlacement>(asked));
  return plan;
}

}  // namespace mlsim::sim
