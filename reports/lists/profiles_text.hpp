// The tables of `mlsim list profiles`.
#pragma once

#include <string>
#include <vector>

#include "core/profile/profile.hpp"
#include "reports/namespace.hpp"

namespace mlsim::reports {

/// What the profiles measured, with the errors of their fits (median / P90); and the terms of every software stack, by
/// accelerator and family of workloads.
std::string profiles_text(const std::vector<Profile>& profiles);

}  // namespace mlsim::reports
