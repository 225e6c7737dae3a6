#include "sim/exchange/planned_exchange.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/text/errors.hpp"
#include "sim/engine/simulate_messages.hpp"

namespace mlsim::sim {
namespace {

// `Overloaded` has one function for each way an exchange may run.
template <class... Each>
struct Overloaded : Each... {
  using Each::operator()...;
};
template <class... Each>
Overloaded(Each...) -> Overloaded<Each...>;

const LinkEfficiency& links_of(const PlannedCollective& planned, const LinkEfficiency& of_step) {
  return planned.links ? *planned.links : of_step;
}

void recost(PlannedCollective& planned, HopTable& hops, const std::function<LinkEfficiency(LinkEfficiency)>& change) {
  if (planned.links) {
    planned.links = change(*planned.links);
    HopTable own(hops.cluster(), *planned.links);
    planned.cost = ScheduleCost(planned.schedule, own);
  } else {
    planned.cost = ScheduleCost(planned.schedule, hops);
  }
  planned.closed_form = planned.cost.time(Bytes(static_cast<double>(planned.schedule.elements)));
}

}  // namespace

MeasuredExchange::MeasuredExchange(std::shared_ptr<const MeasuredCollective> known, PlannedCollective unmeasured,
                                   ScheduleCost on_known_links)
    : measured(std::move(known)), planned(std::move(unmeasured)), there(std::move(on_known_links)) {}

Seconds PlannedExchange::time(Bytes payload) const {
  return std::visit(Overloaded{[&](const PlannedCollective& way) { return way.cost.time(payload); },
                               [&](const ServerExchange& way) { return way.cost.time(payload); },
                               [&](const MeasuredExchange& way) {
                                 const Seconds measured = way.measured->time(payload), before = way.there.time(payload);
                                 return before.value > 0 ? measured * (way.planned.cost.time(payload) / before)
                                                         : measured;
                               }},
                    *way_);
}

Seconds PlannedExchange::time(Bytes payload, Seconds call, Seconds beside_measured) const {
  return (std::holds_alternative<MeasuredExchange>(*way_) ? beside_measured : call) + time(payload);
}

std::optional<double> PlannedExchange::log_spread(Bytes payload) const {
  const auto* const way = std::get_if<MeasuredExchange>(way_.get());
  if (way == nullptr || !way->measured->measured_here()) return {};
  return way->measured->log_spread(payload);
}

bool PlannedExchange::is_to_measure() const {
  return std::visit(
      Overloaded{[](const PlannedCollective&) { return true; }, [](const ServerExchange&) { return false; },
                 [](const MeasuredExchange& way) { return way.measured->completed(); }},
      *way_);
}

std::string PlannedExchange::name() const {
  return std::visit(Overloaded{[](const PlannedCollective& way) { return way.schedule.algorithm; },
                               [](const ServerExchange&) { return std::string("parameter-servers"); },
                               [](const MeasuredExchange& way) { return way.measured->how.text; }},
                    *way_);
}

Statement PlannedExchange::statement() const {
  if (const auto* const way = std::get_if<MeasuredExchange>(way_.get())) return way->measured->how;
  return {"by ", named("algorithm", name())};
}

ProvenanceEntry PlannedExchange::provenance(const std::string& figure) const {
  const auto by_formulas = [&](const Statement& reason) {
    return ProvenanceEntry{figure,
                           {named("algorithm", name()), ": ", reason},
                           {Provenance::fitted, "closed form on the system's own links", ""}};
  };
  return std::visit(Overloaded{[&](const PlannedCollective& way) { return by_formulas(way.reason); },
                               [&](const ServerExchange& way) { return by_formulas(way.how); },
                               [&](const MeasuredExchange& way) {
                                 return ProvenanceEntry{figure, way.measured->how, way.measured->source()};
                               }},
                    *way_);
}

std::optional<ProvenanceEntry> PlannedExchange::rates() const {
  const auto* const way = std::get_if<ServerExchange>(way_.get());
  if (way == nullptr) return {};
  const ServerRates& rates = way->plan.rates;
  return ProvenanceEntry{
      "parameter servers",
      {"a host adds up ", named("sum_rate", rates.sum), ", a process moves ", named("rpc_rate", rates.rpc), " by gRPC"},
      rates.source};
}

bool PlannedExchange::shares_links() const { return !std::holds_alternative<MeasuredExchange>(*way_); }

std::optional<FlowProgram> PlannedExchange::flows(const Cluster& cluster, const LinkEfficiency& efficiency) const {
  using Flows = std::optional<FlowProgram>;
  return std::visit(Overloaded{[&](const PlannedCollective& way) -> Flows {
                                 return unfolded_program(way.schedule, cluster, links_of(way, efficiency));
                               },
                               [&](const ServerExchange& way) -> Flows {
                                 return server_exchange_program(way, cluster, efficiency,
                                                                std::vector<std::uint32_t>(cluster.ranks(), 1), false);
                               },
                               [](const MeasuredExchange&) -> Flows { return {}; }},
                    *way_);
}

std::optional<FoldedProgram> PlannedExchange::folded_flows(const Cluster& cluster, const LinkEfficiency& efficiency,
                                                           const std::vector<std::uint32_t>& classes) const {
  using Flows = std::optional<FoldedProgram>;
  return std::visit(
      Overloaded{
          [&](const PlannedCollective& way) -> Flows {
            return folded_program(way.schedule, cluster, links_of(way, efficiency), classes);
          },
          [&](const ServerExchange& way) -> Flows {
            std::vector<std::uint32_t> size(classes.empty() ? 0
                                                            : 1 + *std::max_element(classes.begin(), classes.end()));
            for (const std::uint32_t c : classes) ++size[c];
            return FoldedProgram{server_exchange_program(way, cluster, efficiency, std::move(size), true), classes};
          },
          [](const MeasuredExchange&) -> Flows { return {}; }},
      *way_);
}

MessageRun PlannedExchange::messages(const Cluster& cluster, const LinkEfficiency& efficiency, Bytes payload,
                                     Engine engine, const std::vector<Seconds>& arrival) const {
  return std::visit(
      Overloaded{
          [&](const PlannedCollective& way) {
            return simulate_messages(way.schedule, cluster, links_of(way, efficiency), payload, engine, arrival);
          },
          [](const ServerExchange&) -> MessageRun {
            throw Infeasible(
                "traffic of parameter servers is simulated as flows, not message by message; --fidelity fluid "
                "is the finest");
          },
          [](const MeasuredExchange&) -> MessageRun { throw std::logic_error("what was measured has no messages"); }},
      *way_);
}

std::uint64_t PlannedExchange::messages_at_once() const {
  const auto* const way = std::get_if<PlannedCollective>(way_.get());
  if (way == nullptr) return 0;
  const auto ranks = static_cast<std::uint64_t>(way->schedule.ranks);
  return way->schedule.lanes.size() * ranks * (way->schedule.kind == CollectiveKind::all_to_all ? ranks - 1 : 1);
}

PlannedExchange PlannedExchange::on(HopTable& hops, const LinkEfficiency& efficiency,
                                    const std::function<LinkEfficiency(LinkEfficiency)>& change) const {
  return std::visit(Overloaded{[&](PlannedCollective way) -> PlannedExchange {
                                 recost(way, hops, change);
                                 return way;
                               },
                               [&](const ServerExchange& way) -> PlannedExchange {
                                 return plan_server_exchange(hops.cluster(), way.plan, way.kind, efficiency);
                               },
                               [&](MeasuredExchange way) -> PlannedExchange {
                                 recost(way.planned, hops, change);
                                 return way;
                               }},
                    *way_);
}

}  // namespace mlsim::sim
