// The published all-reduce tables under calibrate/published/, as the fits take them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibrate/fit/collective_fit.hpp"
#include "calibrate/fit/fit.hpp"
#include "tests/namespace.hpp"

namespace mlsim::test {

/// Rows of a table by the name of their column.
using Row = std::map<std::string, std::string>;
std::vector<Row> published_table(const std::string& file);

/// The sweeps of nccl_systems.csv whose `use` is given: "fit" (clean, from 8 B on), "large", "noisy".
std::vector<CollectiveSweep> nccl_sweeps(const std::string& use);

/// A series of MLBench's task 0, fp32 or fp16, on 2 or 4 nodes.
CollectiveSweep task0_sweep(const std::string& library, const std::string& device, Precision precision, int nodes);

std::vector<PayloadTime> times_of(const CollectiveSweep& sweep);

}  // namespace mlsim::test
