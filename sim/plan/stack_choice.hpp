// choose_stack() says which software stack's terms hold for a question: what it adds to a step whatever the batch.
#pragma once

#include <string>
#include <vector>

#include "core/profile/profile.hpp"
#include "sim/namespace.hpp"
#include "sim/options/parsed_anchor.hpp"

namespace mlsim::sim {

/// Returns the terms of stack `asked` on `accelerator` for a workload of `family` ("transformer", ...). In this order:
/// the stack of that name; the one whose name `asked` goes on from ("mlperf-v0.7" for "mlperf-v0.7-pytorch"); the first
/// of the profile, which is the default where nothing is asked. Among equal names terms of the workload's family come
/// before those of any family. Terms of another stack say so in their source. Where no profile has terms for the
/// accelerator: those of that stack on another accelerator, else no fixed time.
///
/// Throws InputError with the nearest name where neither a profile nor an anchor knows the stack.
StackTerm choose_stack(const ProfileRefs& profiles, const std::vector<ParsedAnchor>& anchors,
                       const std::string& accelerator, const std::string& family, const std::string& asked);

}  // namespace mlsim::sim
