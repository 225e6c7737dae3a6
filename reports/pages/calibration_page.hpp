// `mlsim calibrate` prints these pages of kernels: the plan, what was measured, what was fitted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/measure_plan.hpp"
#include "core/profile/profile.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

/// The page has a row a measurement in the order in which they run, and the total.
Page measure_plan_page(const MeasurePlan& plan, std::optional<Seconds> time_limit);

/// The page has a row a measurement: what steps run by share, then the rest by name; what was unavailable is left out,
/// and below how many ran in a library's reference implementation. Then a row a law: what it covers, its constants, how
/// well it fits and how well it foretells the largest kernels.
Page calibration_page(const MeasurePlan& plan, const std::vector<MeasureReply>& replies,
                      const std::vector<KernelLaw>& laws);

/// Writes a sentence a law that the profile does not get.
std::string refused_laws_text(const std::vector<KernelLaw>& laws);

/// Writes "3.1 / 12.7 %", median and 90th percentile; "-" where nothing was compared.
std::string error_text(const FitError& error);
/// Names the operators of a law; many are named by the first.
std::string ops_text(const std::vector<KernelOp>& ops);

/// Says what was not measured, by reason; empty where all was.
std::string unavailable_text(const std::vector<MeasureReply>& replies);

/// Writes a sentence on measurements whose quartiles lie more than a quarter of their median apart; empty where none
/// do.
std::string noise_text(const std::vector<MeasureReply>& replies);

}  // namespace mlsim::reports
