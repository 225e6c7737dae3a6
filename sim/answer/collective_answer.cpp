#include "sim/answer/collective_answer.hpp"

#include <optional>
#include <vector>

#include "sim/collectives/planner.hpp"
#include "sim/exchange/measured_collective.hpp"
#include "sim/job/job_clock.hpp"
#include "sim/mesh/communicator.hpp"
#include "sim/mesh/simulate_collective.hpp"
#include "sim/options/option_rules.hpp"
#include "topologies/construction/build_cluster.hpp"

namespace mlsim::sim {
namespace {

CollectiveAnswer answer_of(Seconds time, const std::string& algorithm, const std::string& library,
                           const CollectiveQuestion& question, const Cluster& cluster) {
  const double factor = bus_bandwidth_factor(question.kind, cluster.ranks());
  return {time, {}, question.payload / time * factor, algorithm, library};
}

CollectiveAnswer known_answer(const MeasuredCollective& known, const std::string& library,
                              const CollectiveQuestion& question, const Cluster& cluster) {
  const Seconds time = known.time(question.payload);
  CollectiveAnswer answer = answer_of(time, known.how.text, library, question, cluster);
  answer.interval = lognormal_interval(time.value, known.log_spread(question.payload));
  return answer;
}

}  // namespace

CollectiveAnswer answer_collective(const CollectiveQuestion& question) {
  check_collective(question.options);
  const ExchangeOptions& exchange = question.options.exchange;
  const Cluster cluster = build_cluster(question.topology, question.accelerators);
  const MeasuredCollectives known(cluster, refs_to(question.profiles));
  const LinkEfficiency links = communicator_links(cluster, exchange.communicator, question.element, known);
  const std::string library = communicator(cluster, exchange.communicator);
  const auto measured = known.of(question.kind, library, question.element);
  if (measured && !exchange.algorithm) return known_answer(*measured, library, question, cluster);
  const PlannedCollective plan = plan_collective(cluster, question.kind, question.payload, links, exchange.algorithm);
  const CollectiveTime run =
      simulate_collective(plan.schedule, cluster, links, question.payload, question.fidelity, exchange.engine);
  return answer_of(run.time, plan.schedule.algorithm, links.communicator, question, cluster);
}

}  // namespace mlsim::sim
