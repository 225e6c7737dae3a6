#include "sim/answer/answer_parts.hpp"

namespace mlsim::sim {
namespace {

// Words a basis that stands on measurements; empty for the others.
Statement measured_text(CostBasis basis, const KernelCost& cost) {
  switch (basis) {
    case CostBasis::measured: return "measured";
    case CostBasis::law: return "by a law of measured ones";
    case CostBasis::transferred: {
      Statement said("transferred from ");
      for (const std::string& accelerator : cost.transfers_from()) {
        if (!said.quantities.empty()) said.add(", ");
        said.add(named("accelerator", accelerator));
      }
      return said;
    }
    case CostBasis::efficiency_curve:
    case CostBasis::roofline: break;
  }
  return {};
}

Statement entry_text(CostBasis basis, const KernelCost& cost) {
  const EfficiencyCurve& curve = cost.curve();
  switch (basis) {
    case CostBasis::measured: return "measured kernels";
    case CostBasis::law: return "a law of measured kernels";
    case CostBasis::transferred: return {"kernels ", measured_text(basis, cost)};
    case CostBasis::efficiency_curve:
      return Statement("efficiency curve (", named_exact("compute", curve.compute), " x compute, ",
                       named_exact("memory", curve.memory), " x memory, ", named("per_kernel", curve.per_kernel),
                       " a kernel)");
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
                       {entry_text(basis, cost), " for ", named_percent("share", shares[i].share), " of kernel time"},
                       cost.source(basis)});
  }
  return entries;
}

Statement kernel_distance(const StepCost& step, const KernelCost& cost, const Statement& fallback) {
  Statement said;
  const auto shares = step.basis_shares();
  for (std::size_t i = 0; i < kCostBases; ++i) {
    const Statement how = measured_text(static_cast<CostBasis>(i), cost);
    if (how.text.empty() || shares[i].share <= 0) continue;
    const bool first = said.text.empty();
    said.add(first ? "kernels " : ", ", how, " for ", named_percent("share", shares[i].share),
             first ? " of kernel time" : "");
  }
  if (said.text.empty()) return fallback;
  if (follows_speed(step)) said.add("; the others ", fallback);
  return said;
}

TrustWord kernel_trust(const StepCost& step, const TrustWord& fallback) {
  const double measured = step.basis_shares()[static_cast<std::size_t>(CostBasis::measured)].share;
  if (measured <= 0.5 || fallback.level < TrustLevel::good) return fallback;
  return {TrustLevel::good, {"kernels measured for ", named_percent("share", measured), " of kernel time"}};
}

bool follows_speed(const StepCost& step) {
  const auto shares = step.basis_shares();
  return shares[static_cast<std::size_t>(CostBasis::efficiency_curve)].share > 0 ||
         shares[static_cast<std::size_t>(CostBasis::roofline)].share > 0;
}

}  // namespace mlsim::sim
