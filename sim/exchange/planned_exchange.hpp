// A `PlannedExchange` runs an exchange of a step: by a schedule, parameter servers, or for the time it was measured.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/result/prediction.hpp"
#include "core/text/statement.hpp"
#include "core/units.hpp"
#include "sim/collectives/hop_table.hpp"
#include "sim/collectives/planner.hpp"
#include "sim/collectives/schedule_cost.hpp"
#include "sim/engine/fidelity.hpp"
#include "sim/engine/message_run.hpp"
#include "sim/exchange/exchange_key.hpp"
#include "sim/exchange/measured_collective.hpp"
#include "sim/fold/flow_program.hpp"
#include "sim/fold/folded_program.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "sim/parameter_server/server_exchange.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// The time of a `MeasuredExchange` is known as a whole, from measurements on this very system or by NCCL's structure:
/// it ends so long after its last rank has joined, and shares no links. On other links its time changes as that of the
/// schedule does which would run had nothing been known.
struct MeasuredExchange {
  /// `there` is what such a schedule takes on the links that the time is known on.
  MeasuredExchange(std::shared_ptr<const MeasuredCollective> measured, PlannedCollective planned, ScheduleCost there);

  std::shared_ptr<const MeasuredCollective> measured;
  PlannedCollective planned;  // costed on the links of the system asked about
  ScheduleCost there;
};

/// Copies share the way it runs, which never changes.
class PlannedExchange {
 public:
  PlannedExchange(PlannedCollective planned) : way_(std::make_shared<const Way>(std::move(planned))) {}
  PlannedExchange(ServerExchange servers) : way_(std::make_shared<const Way>(std::move(servers))) {}
  PlannedExchange(MeasuredExchange measured) : way_(std::make_shared<const Way>(std::move(measured))) {}

  /// Returns the closed form, without other traffic and without the library's own time of a call; only measured
  /// exchanges hold that.
  Seconds time(Bytes payload) const;
  /// Returns the same with the own time of a call, once: `call` of library and framework, or `beside_measured` of the
  /// framework where the exchange was measured.
  Seconds time(Bytes payload, Seconds call, Seconds beside_measured) const;
  /// Returns one sigma of the log of the time; empty where nothing was measured on the system.
  std::optional<double> log_spread(Bytes payload) const;
  /// Tells whether `mlsim calibrate` would tell more of it: it is known by formulas, by NCCL's structure, or by a curve
  /// completed from few sizes.
  bool is_to_measure() const;

  /// The name is "ring", "parameter-servers" or "measured (mpi, 2 x 1 ranks, 2026-11-21)".
  std::string name() const;
  /// The statement is "by ring" or "measured (mpi, ...)".
  Statement statement() const;
  /// Says why the exchange runs so, or where its time is from; `figure` names the collectives it stands for.
  ProvenanceEntry provenance(const std::string& figure) const;
  /// Names what else its time rests on: the rates of servers.
  std::optional<ProvenanceEntry> rates() const;

  /// Tells whether it moves over shared links; a measured one takes its time whatever else goes on.
  bool shares_links() const;
  /// Makes its flows between ranks that are all different; `efficiency` is the step's. Empty where it shares no links.
  std::optional<FlowProgram> flows(const Cluster& cluster, const LinkEfficiency& efficiency) const;
  /// Makes its flows between the rank classes `classes` (by rank), which they may split further.
  std::optional<FoldedProgram> folded_flows(const Cluster& cluster, const LinkEfficiency& efficiency,
                                            const std::vector<std::uint32_t>& classes) const;
  /// Runs it message by message, each rank joining at its `arrival`, which includes the library's time of a call. This
  /// is for exchanges that share links; Infeasible for servers, whose traffic is known as flows only.
  MessageRun messages(const Cluster& cluster, const LinkEfficiency& efficiency, Bytes payload, Engine engine,
                      const std::vector<Seconds>& arrival) const;
  /// Counts the most messages under way at once.
  std::uint64_t messages_at_once() const;

  /// Plans the same way on changed links: those of `hops`, whose efficiency is `efficiency`. `change` does to an
  /// efficiency of the exchange's own what was done to the step's.
  PlannedExchange on(HopTable& hops, const LinkEfficiency& efficiency,
                     const std::function<LinkEfficiency(LinkEfficiency)>& change) const;

 private:
  using Way = std::variant<PlannedCollective, ServerExchange, MeasuredExchange>;
  std::shared_ptr<const Way> way_;
};

/// Each kind of exchange of a step runs one way, planned once for the largest payload of the kind.
using PlannedExchanges = std::map<ExchangeKey, PlannedExchange>;

}  // namespace mlsim::sim
