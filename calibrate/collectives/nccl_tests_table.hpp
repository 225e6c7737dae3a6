// A measured collective in the columns that nccl-tests prints, so that scripts made for those read it.
#pragma once

#include <string>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/profile/collective_curve.hpp"

namespace mlsim::calibrate {

/// Comments, a row a payload, the average bus bandwidth, with the widths and units (us, GB/s of 1e9 bytes) of
/// nccl-tests 2.19 (src/util.cu, writeResultHeader to writeResultFooter). mlsim measures out of place only: the
/// in-place columns say "N/A", nccl-tests' word for what was not checked. No element is wrong: such a measurement is
/// refused before it is timed. `hosts` by rank, as many as the curve has ranks, or none where they are not known;
/// process identifiers, which nothing reads, are 0. Throws InputError for a kind that nccl-tests has not.
std::string nccl_tests_table(const CollectiveCurve& curve, const std::vector<std::string>& hosts = {});

}  // namespace mlsim::calibrate
