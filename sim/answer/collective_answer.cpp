#include "sim/answer/collective_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/errors.hpp"
#include "sim/collectives/planner.hpp"
#include "sim/exchange/measured_collective.hpp"
#include "sim/mesh/communicator.hpp"
#include "sim/mesh/simulate_collective.hpp"
#include "sim/options/settings.hpp"
#include "topologies/build_cluster.hpp"

namespace mlsim::sim {
namespace {

void check_used(const Settings& settings) {
  check_settings(settings);
  const std::vector<std::string> used{"communicator", "algorithm", "engine"};
  for (const auto& [key, value] : settings) {
    if (std::find(used.begin(), used.end(), key) != used.end()) continue;
    throw InputError(fmt::format("--set {}={}", key, value),
                     "changes nothing for a collective by itself, which takes communicator, algorithm and engine");
  }
}

CollectiveAnswer answer_of(Seconds time, const std::string& algorithm, const std::string& library,
                           const CollectiveQuestion& question, const Cluster& cluster) {
  const double factor = bus_bandwidth_factor(question.kind, cluster.ranks());
  return {time, question.payload / time * factor, algorithm, library};
}

}  // namespace

CollectiveAnswer answer_collective(const CollectiveQuestion& question) {
  check_used(question.settings);
  const Cluster cluster = build_cluster(question.topology, question.accelerators);
  const std::string asked = setting(question.settings, "communicator");
  const MeasuredCollectives known(cluster, refs_to(question.profiles));
  const LinkEfficiency links = communicator_links(cluster, asked, question.element, known);
  const std::string library = communicator(cluster, asked);
  const auto measured = known.of(question.kind, library, question.element);
  if (measured && setting(question.settings, "algorithm").empty())
    return answer_of(measured->time(question.payload), measured->text, library, question, cluster);
  const std::string algorithm = setting(question.settings, "algorithm"), engine = setting(question.settings, "engine");
  const PlannedCollective plan =
      plan_collective(cluster, question.kind, question.payload, links,
                      algorithm.empty() ? std::nullopt : std::optional<std::string>(algorithm));
  const CollectiveTime run =
      simulate_collective(plan.schedule, cluster, links, question.payload, question.fidelity,
                          engine.empty() ? std::nullopt : std::optional<Engine>(parse<Engine>(engine)));
  return answer_of(run.time, plan.schedule.algorithm, links.communicator, question, cluster);
}

}  // namespace mlsim::sim
