// A report shows numbers as a person reads them: three digits, short at any size.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/result/prediction.hpp"
#include "core/units.hpp"

namespace mlsim::reports {

/// Writes as to_text of core/text/units_text.hpp does; figures beyond any cluster are written with an exponent instead
/// of many digits.
std::string figure_text(Seconds time);
std::string figure_text(Bytes size);
std::string figure_text(Usd money);

/// Writes "945 samples/s", "1.66 M samples/s".
std::string figure_text(PerSecond samples);

/// Writes the same without its word, "945/s", "1.66 M/s", and a range of it.
std::string rate_text(PerSecond samples);
std::string rate_interval_text(const Interval& interval);

/// Writes a count with up to three digits after the point where it is small: "44.3", "1 281 167", "3.2e+20".
std::string figure_text(double count);

/// Writes "1 accelerator", "4 096 accelerators".
std::string accelerator_count_text(double count);

/// Writes "70.1 %"; beyond 1000 % with an exponent.
std::string percent_text(double share);

/// Writes the low and high end of an interval, the unit once where both have the same: "27.0 .. 37.8 s".
template <class Q>
std::string interval_text(const Interval& interval) {
  const std::string low = figure_text(Q(interval[0])), high = figure_text(Q(interval[1]));
  const auto low_unit = low.rfind(' '), high_unit = high.rfind(' ');
  const bool same = low_unit != std::string::npos && low.substr(low_unit) == high.substr(high_unit);
  return (same ? low.substr(0, low_unit) : low) + " .. " + high;
}

/// Writes "30.4 s (21.6 .. 42.8 s)", without brackets where there is no interval.
template <class Q>
std::string with_interval(Q value, const std::optional<Interval>& interval) {
  return interval ? figure_text(value) + " (" + interval_text<Q>(*interval) + ")" : figure_text(value);
}

/// Draws `width` columns for a share of 1 or more, in eighths of a column, so that a share of 0.3 % still shows.
std::string share_bar(double share, std::size_t width = 48);

/// Puts "tpu-v3-32" before "tpu-v3-128": runs of digits compare by value.
bool natural_less(const std::string& a, const std::string& b);

template <class T>
void sort_naturally(std::vector<T>& items, std::string T::*key) {
  std::stable_sort(items.begin(), items.end(), [&](const T& a, const T& b) { return natural_less(a.*key, b.*key); });
}

}  // namespace mlsim::reports
