// A figure or count of a machine file with where it comes from: {value: 82 GB/s, provenance: datasheet, source: "..."}.
#pragma once

#include "core/document.hpp"
#include "core/provenance.hpp"
#include "topologies/date_span.hpp"

namespace mlsim::topologies {

/// The keys provenance, source and (if it has one) date of a map.
inline Source read_source(const Document& map) {
  return {map.at("provenance").word<Provenance>(), map.at("source").text(),
          map.has("date") ? map.at("date").text() : ""};
}

/// "2018-12" or "2018-12-31". Throws InputError at the place.
inline DateSpan read_dates(const Document& document) {
  try {
    return parse_date_span(document.text());
  } catch (const InputError& e) {
    throw e.place().empty() ? document.error(e.reason()) : e;
  }
}

/// The value of a figure with its source; one without a map, which a person may write, counts as assumed.
inline Sourced<Document> sourced_value(const Document& figure) {
  if (!figure.is_map()) return {figure, {Provenance::assumed, "stated without a source at " + figure.place(), ""}};
  figure.allow_only({"value", "provenance", "source", "date"});
  return {figure.at("value"), read_source(figure)};
}

/// A whole number of at least one: "80". Throws InputError at the place.
inline Sourced<int> read_counted(const Document& figure) {
  const auto [value, source] = sourced_value(figure);
  return {value.count(), source};
}

/// "82 GB/s". Throws InputError at the place unless the value is positive, or where `zero_too` at least zero.
template <class Q>
Sourced<Q> read_figure(const Document& figure, bool zero_too = false) {
  const auto [value, source] = sourced_value(figure);
  Sourced<Q> result{value.template quantity<Q>(), source};
  if (result.value.value < 0 || (result.value.value == 0 && !zero_too))
    throw value.error("must be " + std::string(zero_too ? "zero or more" : "more than zero") + ", not " + value.text());
  return result;
}

}  // namespace mlsim::topologies
