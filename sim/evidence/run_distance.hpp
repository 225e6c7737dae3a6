// The distance of a run on record from the question is said in words and as a level of trust.
#pragma once

#include "core/result/trust.hpp"
#include "core/text/statement.hpp"
#include "sim/evidence/nearest_run.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Writes "anchored on ID: 8 doublings of accelerators, batch/accelerator x0.062".
Statement distance(const NearRun& near);

/// Trust is a level and why it is no other: "off a measured step by 8 doublings, batch x0.0625".
struct TrustWord {
  TrustLevel level = TrustLevel::weak;
  Statement why;
};

/// docs/trust.md, "The word of trust", says how far the answers of each level were off.
TrustWord trust(const NearRun& near);

}  // namespace mlsim::sim
