// These functions are the one reader and the one printer of quantities as text.
//
// bit and B are always spelled; k, M, G, T, P are powers of 1000 and Ki, Mi, Gi, Ti powers of 1024.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "core/units.hpp"

namespace mlsim {

/// Reads "50 GB/s", "400Gbit/s", "1 MiB", "5 us", "125 TFLOP/s", "384 USD/h" ...; the space is optional.
/// Throws InputError (without a place) on a missing, unknown or wrong unit, or a number that is not finite.
template <class Q>
Q parse_quantity(std::string_view text);

template <>
Seconds parse_quantity<Seconds>(std::string_view text);
template <>
Bytes parse_quantity<Bytes>(std::string_view text);
template <>
Flop parse_quantity<Flop>(std::string_view text);
template <>
Usd parse_quantity<Usd>(std::string_view text);
template <>
PerSecond parse_quantity<PerSecond>(std::string_view text);
template <>
BytesPerSecond parse_quantity<BytesPerSecond>(std::string_view text);
template <>
FlopPerSecond parse_quantity<FlopPerSecond>(std::string_view text);
template <>
UsdPerSecond parse_quantity<UsdPerSecond>(std::string_view text);

/// Reads a finite decimal number, whole text; throws InputError otherwise.
double parse_number(std::string_view text);

/// Reads a whole number from `lowest` to `highest`, whole text ("4096"); throws InputError otherwise.
int parse_count(std::string_view text, int lowest = 1, int highest = std::numeric_limits<int>::max());

/// Prints with three significant digits and a readable prefix: "19.8 ms", "82.0 GB/s", "25.6 MiB"; money has cents
/// below 99.5 USD: "31.90 USD".
std::string to_text(Seconds q);
std::string to_text(Bytes q);
std::string to_text(Flop q);
std::string to_text(Usd q);
std::string to_text(BytesPerSecond q);
std::string to_text(FlopPerSecond q);
std::string to_text(UsdPerSecond q);

/// Writes a count with thousands separated by a space: "1 281 167".
std::string count_text(double value);

}  // namespace mlsim
