// The payloads that a collective is measured at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/precision.hpp"
#include "core/units.hpp"

namespace mlsim {

/// MLBench's task 0 (mlbench.github.io, benchmark tasks): tensors of 1 to 1e8 elements in 80 sizes, even in their
/// logarithm, rounded to whole elements; where two round to the same number the later is one more.
std::vector<Bytes> task0_payloads(Precision precision);
/// How often task 0 measures each.
constexpr int kTask0Repetitions = 100;

/// As nccl-tests' -b, -e and -f: `begin`, and then `factor` times more until past `end`. Throws InputError unless begin
/// is positive, end no less and the factor above 1.
std::vector<Bytes> nccl_tests_payloads(Bytes begin, Bytes end, double factor);

/// "task0"; "nccl-tests": 8 B to 128 MiB, each twice the last, the example of nccl-tests' README; "quick": 1 KiB to
/// 16 MiB, each four times the last. Ascending. Throws InputError with the nearest name.
std::vector<Bytes> payload_sizes(std::string_view name, Precision precision);
const std::vector<std::string>& payload_size_names();

}  // namespace mlsim
