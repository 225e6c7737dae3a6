// The nearest run is the published or measured step that a prediction leans on; its distance is said in words.
#pragma once

#include <cstddef>
#include <optional>

#include "core/result/trust.hpp"
#include "core/text/statement.hpp"
#include "sim/evidence/difference.hpp"
#include "sim/evidence/evidence.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// A `NearRun` is a run on record and how far it is from the question.
struct NearRun {
  ParsedAnchor run;
  std::size_t place = 0;  // of the run in its evidence
  Difference apart;
  bool same_software() const { return !apart.release && !apart.precision && apart.chip < 2; }
};

/// Finds the nearest run of the same network (its versions count as one; of language models all of a sort do, with
/// samples of like length and software of the same class) on the same accelerator, or where none is, on one whose
/// kernels are as fast, or but for language models on its sister with another memory; empty where there is none. The
/// order is: same precision, stack, source, version, settings that tell runs apart (TellsApart), machine, no larger
/// system, fewest accelerators, largest batch, all options the same.
std::optional<NearRun> nearest_run(const RunTraits& asked, const Evidence& evidence);

/// Finds a second run beside `first`, which is of one accelerator: the same workload, source, software and machine on
/// several, at most as many as asked; the largest such system, the nearest micro-batch. What several accelerators cost
/// one another then follows from the two. It is empty where there is none or `first` is larger than one accelerator.
std::optional<NearRun> second_run(const RunTraits& asked, const NearRun& first, const Evidence& evidence);

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
