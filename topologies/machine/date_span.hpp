// A `DateSpan` is a span of days, as prices are dated: "2018-12-03" is one day, "2018-12" the whole month.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace mlsim::topologies {

using Day = std::chrono::year_month_day;

struct DateSpan {
  Day first, last;  // both belong to it
  bool operator==(const DateSpan&) const = default;
};

/// Parses "YYYY-MM" or "YYYY-MM-DD", from 1970 to 9999; throws InputError (without a place) on anything else.
DateSpan parse_date_span(std::string_view text);
std::string text(const DateSpan& span);  // as parse_date_span reads it: a day, or the month that it begins in

/// Writes "2018-12".
std::string month_text(const Day& day);

}  // namespace mlsim::topologies
