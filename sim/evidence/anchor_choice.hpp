// Which published or measured step a prediction leans on, and how far it stands from the question.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/result/trust.hpp"
#include "core/text/statement.hpp"
#include "sim/namespace.hpp"
#include "sim/options/parsed_anchor.hpp"

namespace mlsim::sim {

/// What is asked, as far as it decides on an anchor.
struct AnchorQuestion {
  std::string workload, accelerator, topology;  // catalogue names
  std::string source;                           // anchors of this source come first; empty: any
  Precision precision = Precision::fp32;
  Options options;
  std::string default_stack;  // preferred where the options name none
  int accelerators = 1;
  bool splits_model = false;  // by stages, tensors or rows, as few anchors do
  double micro_batch = 1;     // samples of one accelerator that go through the network at once
};

/// How far the anchor is: doublings of system and batch, and what else differs.
struct AnchorChoice {
  ParsedAnchor anchor;
  std::size_t place = 0;      // of the anchor in the list that it was chosen from
  double doublings = 0;       // log2(asked accelerators / anchor's)
  double batch_ratio = 1;     // asked micro-batch / anchor's
  bool other_stack = false;   // another round or revision of the same tables
  bool other_tables = false;  // another framework or code base: "mlperf-..." against "dle-..."
  bool other_code = false;    // the stack is of another code base, whatever its round or date
  bool other_version = false, other_precision = false;
  bool other_settings = false;  // of the step: exchange, memory, defects, optimizer, data
  bool other_split = false;     // the question splits the model
  Statement distance() const;   // "anchored on ID: 8 doublings of accelerators, batch/accelerator x0.062"
  /// By these distances; how far the answers of each level were off: docs/trust.md, "The word of trust".
  Trust trust() const;
  bool same_software() const { return !other_stack && !other_precision; }
};

/// The nearest anchor of the same network (its versions count as one) on the same accelerator; empty where there is
/// none. Order: same precision, same source, same stack, same version, same data and update mode, same machine, fewest
/// accelerators, largest batch, all options the same.
std::optional<AnchorChoice> choose_anchor(const AnchorQuestion& question, const std::vector<ParsedAnchor>& anchors);

/// A second anchor beside `first`, which is of one accelerator: the same workload, source, software and machine on
/// several, at most as many as asked; the largest such system, the nearest micro-batch. What several accelerators cost
/// one another then follows from the two. Empty where there is none or `first` is larger than one accelerator.
std::optional<AnchorChoice> choose_second_anchor(const AnchorQuestion& question, const AnchorChoice& first,
                                                 const std::vector<ParsedAnchor>& anchors);

}  // namespace mlsim::sim
