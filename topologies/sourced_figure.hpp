// A figure of a machine file with where it comes from: {value: 82 GB/s, provenance: datasheet, source: "..."}.
#pragma once

#include "core/document.hpp"
#include "core/provenance.hpp"

namespace mlsim {

/// The keys provenance, source and (if it has one) date of a map.
inline Source read_source(const Document& map) {
  return {parse_provenance(map.at("provenance").word("provenance", provenance_names())), map.at("source").text(),
          map.has("date") ? map.at("date").text() : ""};
}

/// The figure; also a bare "82 GB/s", which a person may write and which counts as assumed. Throws InputError at the
/// place unless the value is positive, or where `zero_too` at least zero.
template <class Q>
Sourced<Q> read_figure(const Document& figure, bool zero_too = false) {
  Sourced<Q> result;
  Document value = figure;
  if (figure.is_map()) {
    figure.allow_only({"value", "provenance", "source", "date"});
    value = figure.at("value");
    result.source = read_source(figure);
  } else {
    result.source = {Provenance::assumed, "stated without a source at " + figure.place(), ""};
  }
  result.value = value.quantity<Q>();
  if (result.value.value < 0 || (result.value.value == 0 && !zero_too))
    throw value.error("must be " + std::string(zero_too ? "zero or more" : "more than zero") + ", not " + value.text());
  return result;
}

}  // namespace mlsim
