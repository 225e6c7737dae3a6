// A `Bound` says how large errors may be: bounds by group, from validation/published/bounds.yaml.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/text/document.hpp"
#include "validation/namespace.hpp"
#include "validation/scores/score.hpp"

namespace mlsim::validation {

/// A bound has the largest absolute relative errors that pass, and the least share of intervals that hold the published
/// value.
struct Bound {
  double median = 0, p90 = 0;
  double coverage = 0;
  int refused = 0;  // cases that the model is known to refuse although they ran
};

struct ErrorBounds {
  struct Entry {
    std::string source;  // empty: any source
    Metric metric = Metric::throughput;
    Bound bound;
  };
  std::vector<Entry> entries;

  /// Finds the bound of a group: its own, else that of its metric, else none.
  std::optional<Bound> of(const std::string& source, Metric metric) const;
};

/// Throws InputError with file, line and the nearest word.
ErrorBounds parse_bounds(const Document& document);
/// These bounds come with mlsim.
const ErrorBounds& published_bounds();

/// Says what a group misses, one sentence each: a refused case more than is known, an error beyond the bound, too few
/// intervals; nothing where it passes. A group without a bound fails by refused cases only.
std::vector<std::string> misses(const GroupScore& group, const ErrorBounds& bounds);

}  // namespace mlsim::validation
