// The linear baseline lets every accelerator keep the rate that it has in the family's anchor, whatever N and batch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/options/options.hpp"
#include "validation/cases/cases.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

/// The systems of one family share this. Slices of a torus are one machine whatever its size.
struct SystemFamily {
  std::string hardware;  // machine, workload and precision
  std::string stack;
  std::optional<InputData> data;
  std::optional<VariableUpdate> update;
  std::optional<ServerPlan::Device> device;
  bool operator==(const SystemFamily&) const = default;
};
SystemFamily family_of(const Case& c);

/// Finds the anchor of a case's family, else of the same machine, workload and precision under other software, as
/// predict() falls back too: of its own source first, then the fewest accelerators, then the largest batch; null where
/// there is none.
const Case* family_anchor(const Case& c, const std::vector<Case>& cases);

/// Gives the baseline's answer for `c`; `base` is the case it is relative to, or null. It is empty where the metric
/// says nothing about scaling, or the family has no anchor.
std::optional<double> linear_baseline(const Case& c, const Case* base, const std::vector<Case>& cases);

}  // namespace mlsim::validation
