// A TraceEvent is one event of a Chrome trace, as far as the importer needs it.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace mlsim::replay {

/// Returns the value without its fraction; the type's own end where it lies beyond, 0 for what is no number.
template <class Whole>
Whole nearest_whole(double value) {
  if (std::isnan(value)) return 0;
  constexpr auto lowest = std::numeric_limits<Whole>::min(), highest = std::numeric_limits<Whole>::max();
  if (value >= static_cast<double>(highest)) return highest;
  return value <= static_cast<double>(lowest) ? lowest : static_cast<Whole>(value);
}

inline Seconds microseconds(double us) { return Seconds(us * 1e-6); }

/// Times are in microseconds as the file has them, less its first event's, so that doubles keep nanoseconds.
struct TraceEvent {
  char phase = 0;  // X: a span; M: a name
  std::string category, name;
  std::int64_t thread = 0;
  double begin_us = 0, duration_us = 0;

  // The event's args hold these:
  std::optional<std::int64_t> stream, correlation;
  std::vector<double> input_sizes;       // elements of each input, 0 of what is no tensor
  std::vector<std::string> input_types;  // "float"
  std::string collective, dtype;         // newer PyTorch says both on the kernel
  std::optional<std::int64_t> in_elements, out_elements, group_size;
  std::string group;  // the process group's name
};

/// The header is what stands before and behind the events.
struct TraceHeader {
  std::optional<int> rank, world_size;
  std::string device;  // "Tesla V100-SXM2-32GB"
  std::int64_t events = 0;
};

}  // namespace mlsim::replay
