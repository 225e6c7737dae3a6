#include "sim/speed/kernel_basis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/units_text.hpp"

namespace mlsim::sim {
namespace {

// The words for a basis that stands on measurements; empty for the others.
std::string measured_text(CostBasis basis, const KernelCost& cost) {
  switch (basis) {
    case CostBasis::measured: return "measured";
    case CostBasis::law: return "by a law of measured ones";
    case CostBasis::transferred: return fmt::format("transferred from {}", fmt::join(cost.transfers_from(), ", "));
    case CostBasis::efficiency_curve:
    case CostBasis::roofline: break;
  }
  return {};
}

std::string entry_text(CostBasis basis, const KernelCost& cost) {
  const EfficiencyCurve& curve = cost.curve();
  switch (basis) {
    case CostBasis::measured: return "measured kernels";
    case CostBasis::law: return "a law of measured kernels";
    case CostBasis::transferred: return "kernels " + measured_text(basis, cost);
    case CostBasis::efficiency_curve:
      return fmt::format("efficiency curve ({} x compute, {} x memory, {} a kernel)", curve.compute, curve.memory,
                         to_text(curve.per_kernel));
    case CostBasis::roofline: break;
  }
  return "roofline of the data sheet";
}

}  // namespace

std::vector<ProvenanceEntry> kernel_entries(const StepCost& step, const KernelCost& cost) {
  std::vector<ProvenanceEntry> entries;
  const auto shares = step.basis_shares();
  for (std::size_t i = 0; i < kCostBases; ++i) {
    const auto basis = static_cast<CostBasis>(i);
    if (shares[i].share <= 0) continue;
    entries.push_back({"kernel cost",
                       fmt::format("{} for {:.3g} % of kernel time", entry_text(basis, cost), 100 * shares[i].share),
                       cost.source(basis)});
  }
  return entries;
}

std::string kernel_distance(const StepCost& step, const KernelCost& cost, const std::string& fallback) {
  std::string text;
  const auto shares = step.basis_shares();
  for (std::size_t i = 0; i < kCostBases; ++i) {
    const std::string how = measured_text(static_cast<CostBasis>(i), cost);
    if (how.empty() || shares[i].share <= 0) continue;
    text += fmt::format("{}{} for {:.3g} %{}", text.empty() ? "kernels " : ", ", how, 100 * shares[i].share,
                        text.empty() ? " of kernel time" : "");
  }
  if (text.empty()) return fallback;
  return follows_speed(step) ? fmt::format("{}; the others {}", text, fallback) : text;
}

bool follows_speed(const StepCost& step) {
  const auto shares = step.basis_shares();
  return shares[static_cast<std::size_t>(CostBasis::efficiency_curve)].share > 0 ||
         shares[static_cast<std::size_t>(CostBasis::roofline)].share > 0;
}

}  // namespace mlsim::sim
