// A sourced figure is a figure or count of a machine file with where it comes from: {value: 82 GB/s, provenance:
// datasheet, source: "..."}.
#pragma once

#include "core/profile/provenance.hpp"
#include "core/text/document.hpp"
#include "topologies/machine/date_span.hpp"
#include "topologies/machine/figure_bounds.hpp"

namespace mlsim::topologies {

/// Reads the keys provenance, source and (if it has one) date of a map.
inline Source read_source(const Document& map) {
  return {map.at("provenance").word<Provenance>(), map.at("source").text(),
          map.has("date") ? map.at("date").text() : ""};
}

/// Reads "2018-12" or "2018-12-31". Throws InputError at the place.
inline DateSpan read_dates(const Document& document) {
  try {
    return parse_date_span(document.text());
  } catch (const InputError& e) {
    throw e.place().empty() ? document.error(e.reason()) : e;
  }
}

/// Reads the value of a figure with its source; one without a map, which a person may write, counts as assumed.
inline Sourced<Document> sourced_value(const Document& figure) {
  if (!figure.is_map()) return {figure, {Provenance::assumed, "stated without a source at " + figure.place(), ""}};
  figure.allow_only({"value", "provenance", "source", "date"});
  return {figure.at("value"), read_source(figure)};
}

/// Reads a whole number from one to kMostParts: "80". Throws InputError at the place.
inline Sourced<int> read_counted(const Document& figure) {
  const auto [value, source] = sourced_value(figure);
  return {value.count(1, kMostParts), source};
}

/// Reads a quantity within its bounds. Throws InputError at the place.
template <class Q>
Q read_bounded(const Document& value) {
  const std::string text = value.text();
  try {
    return bounded_quantity<Q>(text);
  } catch (const InputError& e) {
    throw value.error(e.reason());
  }
}

/// Reads "82 GB/s", or a map. Throws InputError at the place unless the value is within its bounds.
template <class Q>
Sourced<Q> read_figure(const Document& figure) {
  const auto [value, source] = sourced_value(figure);
  return {read_bounded<Q>(value), source};
}

/// Reads a number within bounds. Throws InputError at the place.
inline double read_number(const Document& value, double lowest, double highest) {
  const std::string text = value.text();
  try {
    return bounded_number(text, lowest, highest);
  } catch (const InputError& e) {
    throw value.error(e.reason());
  }
}

}  // namespace mlsim::topologies
