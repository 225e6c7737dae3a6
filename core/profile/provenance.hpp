// Provenance says where a figure comes from. Every constant and every answer carries one.
#pragma once

#include <string>

#include "core/text/words.hpp"

namespace mlsim {

/// The values go from most to least trusted.
enum class Provenance { measured, published, datasheet, fitted, assumed };

inline Words<Provenance> words(Provenance) {
  return {"provenance", {"measured", "published", "datasheet", "fitted", "assumed"}};
}

/// `source` is a citation a stranger can follow; `date` is free text, may be empty.
struct Source {
  Provenance provenance = Provenance::assumed;
  std::string source;
  std::string date;
  bool operator==(const Source&) const = default;
};

/// A Sourced value carries its source.
template <class T>
struct Sourced {
  T value{};
  Source source;
  bool operator==(const Sourced&) const = default;
};

}  // namespace mlsim
