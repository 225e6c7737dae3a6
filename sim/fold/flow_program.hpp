// A `FlowProgram` is a collective schedule on a cluster: groups, the flows they start, and the links those share.
//
// The same structure holds the unfolded program (every rank, every link) and the folded one (one representative of
// each class); one executor (program_run.hpp) runs both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "sim/collectives/schedule.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// A wait in SecondsPerByte grows with the payload of the collective.
using SecondsPerByte = Quantity<1, -1, 0, 0>;

/// A `ProgramFlow` is all the messages that one member of a group sends to one neighbour in a phase, as one flow.
struct ProgramFlow {
  std::vector<std::uint32_t> links;  // links of the program
  double share = 0;                  // bytes / payload bytes of the collective
  Seconds latency;                   // latency of all its messages one after another
  SecondsPerByte lead;               // besides: wait for the hops before it in a pipeline, a byte of the payload
};

struct ProgramGroup {
  std::vector<std::uint32_t> members;  // rank classes whose arrival (first phase) or previous group it waits for
  std::vector<std::uint32_t> after;    // groups of the phase before in the same lane that its members were in
  std::vector<ProgramFlow> flows;
};

struct ProgramPhase {
  std::string name;
  std::vector<ProgramGroup> groups;
};

struct FlowProgram {
  std::vector<BytesPerSecond> links;             // capacity; scaled in a folded program
  std::vector<std::vector<ProgramPhase>> lanes;  // lane -> phases
  std::uint32_t rank_classes = 1;
  std::vector<std::uint32_t> class_size;  // ranks in each class
  // ends[c] lists the groups whose end rank class c waits for: (lane, group) pairs of the last phase of each lane.
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> ends;
  std::uint64_t flow_count() const;
};

/// Gives every rank its own class and every group its own flows. Throws Infeasible where two ranks have no route.
FlowProgram unfolded_program(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency);

}  // namespace mlsim::sim
