// A table of a report: what people read and the numbers behind it, from which charts are drawn.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result/prediction.hpp"
#include "core/units.hpp"
#include "reports/namespace.hpp"

namespace mlsim::reports {

struct PageCell {
  std::string text;
  std::optional<double> value = {};  // in the column's unit; empty for words, and where there is no text either
};

PageCell cell(Seconds time);
PageCell cell(Bytes size);
PageCell cell(Usd money);
PageCell cell(PerSecond samples);
/// In USD/h.
PageCell cell(UsdPerSecond price);
PageCell count_cell(double count);
/// 0.931 as "93.1 %".
PageCell share_cell(double share);
PageCell word_cell(std::string_view words);
template <class Q>
PageCell cell(const std::optional<Q>& quantity) {
  return quantity ? cell(*quantity) : PageCell{};
}

struct PageColumn {
  std::string heading;
  std::string unit = {};  // "s", "B", "USD", "USD/h", "samples/s", "1" of counts and ratios, "share"; empty for words
};

struct PageTable {
  std::string id;  // unique on its page: "scaling"
  std::string caption;
  std::vector<PageColumn> columns;
  std::vector<std::vector<PageCell>> rows = {};  // as many cells as there are columns

  /// The column of that heading; the page's builder knows its own headings.
  std::size_t column(std::string_view heading) const;
};

/// Two columns, low and high, behind those there are, for the 5th and 95th percentile of `what`.
void add_range_columns(PageTable& table, const std::string& what, const std::string& unit);
/// The cells of such columns; two empty ones without an interval.
template <class Q>
void add_range(std::vector<PageCell>& row, const std::optional<Interval>& interval) {
  for (std::size_t i = 0; i < 2; ++i) row.push_back(interval ? cell(Q((*interval)[i])) : PageCell{});
}

/// RFC 4180, with the unit behind each heading; numbers with all their digits.
std::string csv_text(const PageTable& table);

}  // namespace mlsim::reports
