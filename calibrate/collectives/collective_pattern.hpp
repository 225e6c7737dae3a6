// The pattern says which numbers to send, and what must arrive: every rank knows both without asking another.
//
// Its numbers are whole and below 61, so that sums are exact in fp32, and in fp16 up to 34 ranks (2048 / 60). 61 is
// prime: data that lands a power of two away from its place does not go unnoticed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/kernel/precision.hpp"
#include "core/profile/collective.hpp"

namespace mlsim::calibrate {

/// A `CollectiveCase` is a collective as rank `rank` of `ranks` sees it; `count` is as element_count() gives it.
struct CollectiveCase {
  CollectiveKind kind = CollectiveKind::all_reduce;
  Precision precision = Precision::fp32;
  std::size_t count = 0;
  int rank = 0, ranks = 1;
};

/// Returns element `index` of the data that `rank` sends.
double pattern(int rank, std::size_t index);

/// Returns what this rank sends, as bytes of the precision (fp32 or fp16).
std::vector<std::byte> sent_bytes(const CollectiveCase& collective);

/// Returns the error of what this rank got against the pattern, in float64: the largest absolute difference over the
/// largest absolute element; infinite where something is no number or the size is wrong. 0 on a rank that gets nothing
/// (between the two of a point to point).
double received_error(const CollectiveCase& collective, std::span<const std::byte> received);

}  // namespace mlsim::calibrate
