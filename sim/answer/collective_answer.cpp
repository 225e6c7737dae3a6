#include "sim/answer/collective_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/kernel/precision.hpp"
#include "core/profile/collective_name.hpp"
#include "core/text/errors.hpp"
#include "costs/collective_time.hpp"
#include "sim/collectives/planner.hpp"
#include "sim/exchange/measured_collective.hpp"
#include "sim/job/job_clock.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/mesh/communicator.hpp"
#include "sim/options/option_rules.hpp"
#include "sim/options/options_text.hpp"
#include "topologies/construction/build_cluster.hpp"

namespace mlsim::sim {
namespace {

const Bytes kOneByte(1);

bool adds_up(CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter;
}

CollectiveAnswer timed_answer(Seconds time, Seconds latency, const std::string& library,
                              const CollectiveQuestion& question, const Cluster& cluster) {
  CollectiveAnswer answer;
  answer.time = time;
  answer.latency = min(time, latency);
  answer.bus_bandwidth = question.payload / time * bus_bandwidth_factor(question.kind, cluster.ranks());
  answer.communicator = library;
  return answer;
}

// A law of the ranks says how many messages a rank sends, as its latency is so many.
void add_messages(CollectiveAnswer& answer, const MeasuredCollective& known, Bytes payload) {
  if (const auto* law = std::get_if<RankScaling>(&known.known))
    answer.messages = latency_steps(*law, known.ranks, payload);
}

Trust trust_in(const MeasuredCollective& known, int nodes) {
  const auto* law = std::get_if<RankScaling>(&known.known);
  if (!known.measured_here()) return {TrustLevel::fair, "by NCCL's structure, as fitted to other systems"};
  if (law == nullptr) return {TrustLevel::measured, "this collective was measured on the system"};
  const bool seen = std::find(law->nodes.begin(), law->nodes.end(), nodes) != law->nodes.end();
  if (seen) return {TrustLevel::good, "fitted to this collective on as many nodes"};
  return {TrustLevel::fair, "fitted to this collective on other numbers of nodes"};
}

CollectiveAnswer known_answer(const MeasuredCollective& known, const std::string& library,
                              const CollectiveQuestion& question, const Cluster& cluster) {
  const Seconds time = known.time(question.payload);
  CollectiveAnswer answer = timed_answer(time, known.time(kOneByte), library, question, cluster);
  answer.algorithm = known.how.text;
  answer.interval = lognormal_interval(time.value, known.log_spread(question.payload));
  add_messages(answer, known, question.payload);
  answer.provenance.push_back({std::string(name(question.kind)), known.how, known.source()});
  answer.trust = trust_in(known, cluster.nodes);
  return answer;
}

// The messages of a lane follow each other; lanes run side by side.
double messages_of(const Schedule& schedule) {
  int most = 0;
  for (const Lane& lane : schedule.lanes) {
    int rounds = 0;
    for (const Phase& phase : lane.phases) {
      int longest = 0;
      for (const PhaseGroup& group : phase.groups) longest = std::max(longest, round_count(group));
      rounds += longest;
    }
    most = std::max(most, rounds);
  }
  return most;
}

// Says of each kind of link in the system what is reached of it.
std::vector<ProvenanceEntry> link_entries(const Cluster& cluster, const LinkEfficiency& links) {
  std::vector<ProvenanceEntry> entries;
  std::vector<bool> seen(links.by_kind.size(), false);
  for (LinkIndex i = 0; i < cluster.links(); ++i) {
    const LinkKind kind = cluster.link(i).kind;
    if (seen[static_cast<std::size_t>(kind)]) continue;
    seen[static_cast<std::size_t>(kind)] = true;
    Statement said(named("bandwidth", cluster.link(i).bandwidth), " a direction, ",
                   named_percent("reached", links[kind].share), " of it reached");
    entries.push_back({fmt::format("{} links", link_kind_name(kind)), std::move(said), links[kind].source});
  }
  return entries;
}

CollectiveAnswer planned_answer(const PlannedCollective& plan, const LinkEfficiency& links,
                                const CollectiveQuestion& question, const Cluster& cluster) {
  const CollectiveTime run = simulate_collective(plan.schedule, cluster, links, question.payload, question.fidelity,
                                                 question.options.exchange.engine, question.one_of_many);
  CollectiveAnswer answer =
      timed_answer(run.time, plan.cost.time(kOneByte) + links.call, links.communicator, question, cluster);
  answer.algorithm = plan.schedule.algorithm;
  answer.messages = messages_of(plan.schedule);
  answer.run = run;
  answer.provenance.push_back({std::string(name(question.kind)),
                               {named("algorithm", plan.schedule.algorithm), ": ", plan.reason},
                               {Provenance::fitted, "closed form on the system's own links", ""}});
  for (ProvenanceEntry& entry : link_entries(cluster, links)) answer.provenance.push_back(std::move(entry));
  answer.trust = links.communicator.empty()
                     ? Trust{TrustLevel::weak, "simulated on the links; no run of the library is on record there"}
                     : Trust{TrustLevel::fair, "simulated on links as the library reaches them there"};
  return answer;
}

// A collective is no job: it has no batch and no axes.
void check_request(const PredictRequest& request) {
  const auto refuse = [](bool given, const char* option) {
    if (given) throw InputError(option, "has no meaning for a collective by itself");
  };
  refuse(request.global_batch.has_value(), "--global-batch");
  refuse(request.batch_per_accelerator.has_value(), "--batch-per-accelerator");
  refuse(!request.parallelism.empty(), "--parallelism");
}

CollectiveQuestion question_of(const PredictRequest& request, const CollectiveName& asked, Precision precision) {
  CollectiveQuestion question;
  question.topology = request.topology;
  question.accelerators = request.accelerators;
  question.kind = asked.kind;
  question.payload = asked.payload;
  question.element = element_size(precision);
  question.fidelity = request.fidelity;
  question.options = request.options;
  question.one_of_many = request.one_of_many;
  question.profiles = request.own_profiles;
  question.builtin_profiles = request.builtin_profiles;
  return question;
}

Prediction::Inputs inputs_of(const PredictRequest& request, const Cluster& cluster, Precision precision) {
  Prediction::Inputs inputs;
  inputs.topology = cluster.name;
  inputs.workload = to_text(parse_collective_name(request.workload));
  inputs.accelerator = cluster.accelerator.name;
  inputs.parallelism = fmt::format("data={}", cluster.ranks());
  inputs.precision = precision;
  inputs.fidelity = request.fidelity;
  inputs.accelerators = cluster.ranks();
  inputs.seed = request.seed.value_or(0);
  inputs.settings = settings_of(request.options);
  return inputs;
}

CollectiveAnswer answer_on(const Cluster& cluster, const CollectiveQuestion& question) {
  check_collective(question.options);
  const ExchangeOptions& exchange = question.options.exchange;
  const MeasuredCollectives known(cluster, refs_to(question.profiles, question.builtin_profiles));
  const LinkEfficiency links = communicator_links(cluster, exchange.communicator, question.element, known);
  if (adds_up(question.kind)) check_sums(cluster, exchange.communicator, question.element, known);
  const std::string library = communicator(cluster, exchange.communicator);
  const auto measured = known.of(question.kind, library, question.element);
  if (measured && !exchange.algorithm) return known_answer(*measured, library, question, cluster);
  return planned_answer(plan_collective(cluster, question.kind, question.payload, links, exchange.algorithm), links,
                        question, cluster);
}

}  // namespace

CollectiveAnswer answer_collective(const CollectiveQuestion& question) {
  return answer_on(build_cluster(question.topology, question.accelerators), question);
}

Prediction predict_collective(const PredictRequest& request) {
  const CollectiveName asked = parse_collective_name(request.workload);
  check_request(request);
  const Cluster cluster = build_cluster(request.topology, request.accelerators);
  if (cluster.ranks() < 2)
    throw Infeasible(fmt::format("{} has one accelerator here, and a collective needs two or more", cluster.name));
  const Precision precision = request.precision.value_or(Precision::fp32);
  const CollectiveAnswer answer = answer_on(cluster, question_of(request, asked, precision));
  Prediction prediction;
  prediction.inputs = inputs_of(request, cluster, precision);
  prediction.inputs.exchanges = {{named("exchange", name(asked.kind)), " by ", named("algorithm", answer.algorithm)}};
  prediction.step.time = prediction.step.communication = prediction.step.exposed_communication = answer.time;
  if (asked.kind == CollectiveKind::all_to_all) prediction.step.all_to_all = answer.time;
  prediction.throughput = 1 / answer.time;
  if (answer.interval) prediction.interval.step_time = *answer.interval;
  prediction.collective = {asked.kind,           asked.payload,   answer.communicator,
                           answer.algorithm,     answer.messages, asked.payload / answer.time,
                           answer.bus_bandwidth, answer.latency,  answer.time - answer.latency};
  prediction.trust = answer.trust;
  prediction.simulation = {request.fidelity,  "", cluster.ranks(), answer.run.classes, answer.run.flows,
                           answer.run.events, {}};
  prediction.provenance = answer.provenance;
  return prediction;
}

}  // namespace mlsim::sim
