// These are the payloads that a collective is measured at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/kernel/precision.hpp"
#include "core/units.hpp"

namespace mlsim::calibrate {

/// MLBench's task 0 (mlbench.github.io, benchmark tasks) sends tensors of 1 to 1e8 elements in 80 sizes, even in their
/// logarithm, rounded to whole elements; where two round to the same number the later is one more.
std::vector<Bytes> task0_payloads(Precision precision);
/// Task 0 measures each payload this often.
constexpr int kTask0Repetitions = 100;

/// A grid is nccl-tests' -b, -e and -f; its defaults are the example of nccl-tests' README.
struct PayloadGrid {
  Bytes begin{8}, end = mebibytes(128);
  double factor = 2;
};
/// The quick grid goes from 1 KiB to 16 MiB, each four times the last.
inline constexpr PayloadGrid kQuickGrid{Bytes(1024), mebibytes(16), 4};

/// Lists `begin`, and then `factor` times more, whole bytes, until past `end`. Throws InputError unless begin is a byte
/// or more, end no less and the factor above 1, and where these are more than kMostPayloads.
std::vector<Bytes> grid_payloads(const PayloadGrid& grid);
/// More in one sweep are a slip of the factor.
inline constexpr std::size_t kMostPayloads = 10000;

/// Reads a size as nccl-tests takes it, "8", "1K", "128M", "1.5G" (powers of 1024; upper or lower case), or with a
/// unit, "16 MiB", "100 MB". Bytes are rounded down to whole ones. Throws InputError where it is neither or below one.
Bytes parse_payload(std::string_view text);

/// `name` is "task0", "nccl-tests" (a PayloadGrid as it is) or "quick" (kQuickGrid); the sizes ascend. Throws
/// InputError with the nearest name.
std::vector<Bytes> payload_sizes(std::string_view name, Precision precision);
const std::vector<std::string>& payload_size_names();

}  // namespace mlsim::calibrate
