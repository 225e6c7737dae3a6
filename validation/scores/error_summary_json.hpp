// describe_errors() lists the keys of a summary of errors in JSON.
#pragma once

#include <optional>

#include "core/text/field_rule.hpp"
#include "validation/scores/score.hpp"

namespace mlsim::validation {

/// Returns a figure of so many rows; none of no rows.
inline std::optional<double> of_rows(int rows, double figure) {
  return rows > 0 ? std::optional(figure) : std::nullopt;
}

/// Returns a summary that has rows.
inline std::optional<ErrorSummary> with_rows(const ErrorSummary& error) {
  return error.count > 0 ? std::optional(error) : std::nullopt;
}

/// The keys belong to the object that holds the errors; errors over no rows are null.
template <class Io>
void describe_errors(Io& io, const ErrorSummary& error) {
  io.field("median_abs_error", of_rows(error.count, error.median), kNotNegative);
  io.field("p90_abs_error", of_rows(error.count, error.p90), kNotNegative);
  io.field("max_abs_error", of_rows(error.count, error.max), kNotNegative);
  io.field("bias", of_rows(error.count, error.bias));
}

}  // namespace mlsim::validation
