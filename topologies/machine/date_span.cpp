#include "topologies/machine/date_span.hpp"

#include <fmt/format.h>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::topologies {
namespace {

constexpr int kFirstYear = 1970;

// Digits and dashes stand where they do in 2018-12 or 2018-12-03.
bool well_formed(std::string_view text) {
  if (text.size() != 7 && text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  }
  return true;
}

unsigned number(std::string_view digits) { return static_cast<unsigned>(parse_count(digits, 0)); }

}  // namespace

DateSpan parse_date_span(std::string_view text) {
  if (!well_formed(text))
    throw InputError(fmt::format("\"{}\" is no date; write 2018-12 or 2018-12-31", text.substr(0, 80)));
  const std::chrono::year_month month{std::chrono::year(static_cast<int>(number(text.substr(0, 4)))),
                                      std::chrono::month(number(text.substr(5, 2)))};
  if (!month.ok() || static_cast<int>(month.year()) < kFirstYear)
    throw InputError(fmt::format("\"{}\" is no date: there is no such month", text));
  if (text.size() == 7) return {month / std::chrono::day(1), Day(month.year() / month.month() / std::chrono::last)};
  const Day day = month / std::chrono::day(number(text.substr(8, 2)));
  if (!day.ok()) throw InputError(fmt::format("\"{}\" is no date: the month has no such day", text));
  return {day, day};
}

std::string text(const DateSpan& span) {
  const std::string month = month_text(span.first);
  return span.first == span.last ? fmt::format("{}-{:02}", month, static_cast<unsigned>(span.first.day())) : month;
}

std::string month_text(const Day& day) {
  return fmt::format("{:04}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()));
}

}  // namespace mlsim::topologies
