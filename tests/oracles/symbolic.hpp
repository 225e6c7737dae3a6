// Proof by execution that a schedule does what its collective promises.
//
// Every rank's buffer is run as segments of elements, each with the multiset of ranks whose data it holds. A rank that
// misses a contribution or has one twice is a fault.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/collectives/schedule.hpp"
#include "tests/namespace.hpp"

namespace mlsim::test {

/// All sends of round k of a group.
std::vector<Send> round_sends(const PhaseGroup& group, int round);

/// Gives the sends of one round of a group; a test can break a schedule on purpose by changing them.
using RoundSource = std::function<std::vector<Send>(const PhaseGroup& group, int round)>;

/// The first fault as one sentence that names ranks and elements, or "" where the schedule is right, in each of its
/// groups: all-reduce: every rank ends with every contribution once; reduce-scatter: every rank with its owned segments
/// summed; all-gather: every rank with every owned segment; broadcast: the first rank's data; all-to-all: block j of
/// every rank at the group's rank j; halo-exchange: both neighbours' halves; send-receive: the message of the first
/// rank at the second. Ranks of other groups and of none neither add nor receive anything. Messages of a round see the
/// buffers as they were before the round. For some hundreds of ranks: time and memory are O(ranks^2 * pieces).
std::string schedule_fault(const Schedule& schedule, const RoundSource& source = round_sends);

/// The groups of a schedule, also where it is one of all ranks.
std::vector<std::vector<int>> groups_of(const Schedule& schedule);

/// What a rank ends with after a reduce-scatter, and what it starts with in an all-gather.
std::vector<Segment> owned_segments(const Schedule& schedule, int rank);

}  // namespace mlsim::test
