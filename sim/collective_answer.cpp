#include "sim/collective_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/errors.hpp"
#include "sim/collectives/planner.hpp"
#include "sim/communicator.hpp"
#include "sim/simulate_collective.hpp"
#include "topologies/catalogue.hpp"

namespace mlsim {
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

}  // namespace

CollectiveAnswer answer_collective(const CollectiveQuestion& question) {
  check_used(question.settings);
  const Cluster cluster = build_cluster(question.topology, question.accelerators);
  const LinkEfficiency links =
      communicator_links(cluster, setting(question.settings, "communicator"), question.element);
  const std::string algorithm = setting(question.settings, "algorithm"), engine = setting(question.settings, "engine");
  const PlannedCollective plan =
      plan_collective(cluster, question.kind, question.payload, links,
                      algorithm.empty() ? std::nullopt : std::optional<std::string>(algorithm));
  const CollectiveTime run =
      simulate_collective(plan.schedule, cluster, links, question.payload, question.fidelity,
                          engine.empty() ? std::nullopt : std::optional<Engine>(parse_engine(engine)));
  CollectiveAnswer answer;
  answer.time = run.time;
  answer.algorithm = plan.schedule.algorithm;
  answer.library = links.library;
  answer.bus_bandwidth = question.payload / answer.time * bus_bandwidth_factor(question.kind, cluster.ranks());
  return answer;
}

}  // namespace mlsim
