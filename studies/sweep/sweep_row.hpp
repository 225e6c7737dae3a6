// A `SweepRow` is one point of a sweep as a row of a table.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result/prediction.hpp"
#include "core/text/words.hpp"
#include "studies/namespace.hpp"

namespace mlsim::studies {

/// A refused question has no answer, for the reason given; a failed one was not answered by a fault of mlsim or the
/// machine.
enum class RowStatus { answered, refused, failed };
inline Words<RowStatus> words(RowStatus) { return {"status", {"answered", "refused", "failed"}}; }

using Cell = std::variant<std::monostate, double, std::string>;

struct SweepRow {
  std::size_t point = 0;
  RowStatus status = RowStatus::answered;
  std::string reason;
  std::vector<Cell> cells;  // by row_columns(); empty but of an answered point
  bool operator==(const SweepRow&) const = default;
};

struct RowColumn {
  std::string name;  // "step_time_s", "step_time_p5_s", "used_recipe"; SI, and USD
  bool number = true;
};

/// Lists what a row says of an answer.
const std::vector<RowColumn>& row_columns();

SweepRow row_of(std::size_t point, const Prediction& prediction);

/// Finds a figure of a row by the name of its column; empty where the row has none. Throws std::logic_error where no
/// column has that name.
std::optional<double> number_in(const SweepRow& row, const std::string& column);

/// Packs rows as bytes for another process.
std::string packed_rows(const std::vector<SweepRow>& rows);
std::vector<SweepRow> unpacked_rows(std::string_view packed);

}  // namespace mlsim::studies
