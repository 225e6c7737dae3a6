// What an anchor's names tell of its machine and software.
#pragma once

#include <string>

#include "sim/namespace.hpp"
#include "sim/options/parsed_anchor.hpp"

namespace mlsim::sim {

/// "dgx2h:nodes=32" is a dgx2h, which runs hotter and faster than a dgx2 with the same accelerators.
std::string machine_name(const std::string& topology);

/// "dle-pytorch-2020-02-28" -> "dle": whose tables a stack's rows stand in.
std::string tables_of(const std::string& stack);

/// "mlperf-v0.7-pytorch" -> "mlperf-pytorch", "dle-mxnet-2019-07-18" -> "dle-mxnet": a stack without round and date.
std::string code_base(const std::string& stack);

/// Name of the accelerators of a system; empty for one that this catalogue does not hold, where an anchor helps nobody.
/// Each system is looked up once: every answer asks it of every anchor.
const std::string& accelerator_name(const std::string& topology);

/// Whether a run in one precision says as much of the other on the accelerator: fp16 and bf16 of one peak.
bool same_rate_on(const std::string& accelerator, Precision a, Precision b);

/// Samples of one accelerator that go through the network at once.
double micro_batch(const ParsedAnchor& anchor);

}  // namespace mlsim::sim
