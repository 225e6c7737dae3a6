// nccl_tests_table() prints a measured collective in the columns of nccl-tests, so that scripts made for those read it.
#pragma once

#include <string>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/profile/collective_curve.hpp"

namespace mlsim::calibrate {

/// The table has comments, a row a payload and the average bus bandwidth, with the widths and units (us, GB/s of 1e9
/// bytes) of nccl-tests 2.19 (src/util.cu, writeResultHeader to writeResultFooter). mlsim measures out of place only:
/// the in-place columns say "N/A", nccl-tests' word for columns not checked. No element is wrong: such a measurement is
/// refused before it is timed. `hosts` stand by rank, as many as the curve has ranks, or none where they are not known;
/// process identifiers, which nothing reads, are 0. Throws InputError for a kind that nccl-tests has not.
std::string nccl_tests_table(const CollectiveCurve& curve, const std::vector<std::string>& hosts = {});

}  // namespace mlsim::calibrate
