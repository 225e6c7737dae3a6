// The bounds of a machine's figures are wide of everything that was built, and so narrow that each sum, product and
// quotient of a prediction stays a number.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "core/units.hpp"

namespace mlsim::topologies {

/// Bounds are the least and the largest value, as a person writes them.
struct FigureBounds {
  std::string_view lowest, highest;
};

template <class Q>
inline constexpr FigureBounds kFigureBounds{};
// Rates go from less than a teletype sends to fifty times the memory bandwidth of a whole wafer (21 PB/s, Cerebras
// WSE-3).
template <>
inline constexpr FigureBounds kFigureBounds<BytesPerSecond>{"1 B/s", "1000 PB/s"};
// Latencies and launches take from no time at all to as long as a signal to Saturn.
template <>
inline constexpr FigureBounds kFigureBounds<Seconds>{"0 s", "1 h"};
// Sizes go from a home computer of 1980 to all memory that is made in ten years.
template <>
inline constexpr FigureBounds kFigureBounds<Bytes>{"1 kB", "1000000 PB"};
// Compute goes from a processor of 1980 to 500 times the largest machine (El Capitan, 1.7 EFLOP/s).
template <>
inline constexpr FigureBounds kFigureBounds<FlopPerSecond>{"1 MFLOP/s", "1000000 PFLOP/s"};
// Clocks go from a relay to the frequency of light.
template <>
inline constexpr FigureBounds kFigureBounds<PerSecond>{"1 Hz", "1000000 GHz"};
// Prices go up to what a tenth of the world produces.
template <>
inline constexpr FigureBounds kFigureBounds<UsdPerSecond>{"0 USD/h", "1000000000 USD/h"};

inline constexpr int kMostParts = 1'000'000;  // of one kind in a machine: threads, multiprocessors, a block of a bill
inline constexpr int kMostLinks = 1024;       // NVLinks or NICs in one place
inline constexpr double kLeastShare = 1e-6;   // of a rate that software reaches
inline constexpr double kMostOversubscription = 1e6;  // as many nodes behind one uplink

/// Reads the value that `text` says, which is within its bounds. Throws InputError without a place.
template <class Q>
Q bounded_quantity(std::string_view text) {
  constexpr FigureBounds kBounds = kFigureBounds<Q>;
  const Q value = parse_quantity<Q>(text);
  if (!(value >= parse_quantity<Q>(kBounds.lowest) && value <= parse_quantity<Q>(kBounds.highest)))
    throw InputError(fmt::format("must be from {} to {}, not {}", kBounds.lowest, kBounds.highest, text.substr(0, 80)));
  return value;
}

/// Reads a plain number that is within `lowest` and `highest`, likewise.
inline double bounded_number(std::string_view text, double lowest, double highest) {
  const double value = parse_number(text);
  if (!(value >= lowest && value <= highest))
    throw InputError(fmt::format("must be from {} to {}, not {}", lowest, highest, text.substr(0, 80)));
  return value;
}

}  // namespace mlsim::topologies
