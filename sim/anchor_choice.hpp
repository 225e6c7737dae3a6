// Which published or measured step a prediction leans on, and how far it stands from the question.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/anchor.hpp"

namespace mlsim {

/// What is asked, as far as it decides on an anchor.
struct AnchorQuestion {
  std::string workload, accelerator, topology;  // catalogue names
  std::string source;                           // anchors of this source come first; empty: any
  Precision precision = Precision::fp32;
  Settings settings;          // "stack", "data", "variable_update" count
  std::string default_stack;  // preferred where the settings name none
  int accelerators = 1;
  double batch_per_accelerator = 1;
};

/// How far the anchor is: doublings of system and batch, and what else differs.
struct AnchorChoice {
  Anchor anchor;
  double doublings = 0;    // log2(asked accelerators / anchor's)
  double batch_ratio = 1;  // asked batch per accelerator / anchor's
  bool other_stack = false, other_version = false, other_precision = false;
  std::string distance() const;  // "anchored on ID: 8 doublings of accelerators, batch/accelerator x0.062"
  /// One sigma of the log of step time: bands of docs/models.md, "intervals".
  double log_spread() const;
};

/// The nearest anchor of the same network (its versions count as one) on the same accelerator; empty where there is
/// none. Order: same precision, same source, same stack, same version, same data and update mode, same machine, fewest
/// accelerators, largest batch.
std::optional<AnchorChoice> choose_anchor(const AnchorQuestion& question, const std::vector<Anchor>& anchors);

/// Spread without any anchor: efficiency curves of other networks, or the bare roofline.
inline constexpr double kCurveSpread = 0.25;
inline constexpr double kRooflineSpread = 0.5;

}  // namespace mlsim
