#include "reports/answers/comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.hpp"
#include "reports/figure_text.hpp"
#include "reports/text_table.hpp"
#include "reports/wrapped_text.hpp"

namespace mlsim::reports {
namespace {

using Cells = std::vector<std::string>;

std::string value_in(const std::string& unit, double value) {
  if (unit == "s") return figure_text(Seconds(value));
  if (unit == "USD") return figure_text(Usd(value));
  if (unit == "USD/s") return figure_text(Usd(value * 3600)) + "/h";
  if (unit == "B") return figure_text(Bytes(value));
  if (unit == "1/s") return figure_text(PerSecond(value));
  return percent_text(value);
}

std::string range_in(const std::string& unit, const Interval& interval) {
  return unit == "USD" ? interval_text<Usd>(interval) : interval_text<Seconds>(interval);
}

Cells figure_cells(const ComparedFigure& figure) {
  Cells cells{figure.name};
  for (std::size_t i = 0; i < figure.values.size(); ++i) {
    std::string cell = figure.values[i] ? value_in(figure.unit, *figure.values[i]) : "-";
    if (figure.best == i) {
      cell += " best";
    } else if (const auto ratio = figure.ratio(i)) {
      cell += fmt::format(" {:.2f}x", *ratio);
    }
    cells.push_back(std::move(cell));
  }
  return cells;
}

// No cells where no answer has a range.
Cells range_cells(const ComparedFigure& figure) {
  Cells cells{"  9 of 10"};
  bool any = false;
  for (const auto& interval : figure.intervals) {
    cells.push_back(interval ? range_in(figure.unit, *interval) : "");
    any = any || interval;
  }
  return any ? cells : Cells();
}

Cells input_cells(const ComparedInput& input) {
  Cells cells{input.name};
  for (const auto& value : input.values) cells.push_back(!value ? "refused" : value->empty() ? "-" : *value);
  return cells;
}

TextTable table_of(const Comparison& comparison) {
  TextTable table;
  table.columns.push_back({""});
  for (const ComparedAnswer& answer : comparison.answers) table.columns.push_back({answer.name});
  for (const ComparedInput& input : comparison.inputs)
    if (input.differs()) table.rows.push_back(input_cells(input));
  for (const ComparedFigure& figure : comparison.figures) {
    const auto known = [](const std::optional<double>& value) { return value.has_value(); };
    if (std::none_of(figure.values.begin(), figure.values.end(), known)) continue;
    table.rows.push_back(figure_cells(figure));
    if (Cells range = range_cells(figure); !range.empty()) table.rows.push_back(std::move(range));
  }
  return table;
}

// "precision fp16, recipe mlperf-v0.7"; empty where nothing was answered.
std::string common_text(const Comparison& comparison) {
  std::string text;
  for (const ComparedInput& input : comparison.inputs) {
    const auto given = std::find_if(input.values.begin(), input.values.end(), [](const auto& v) { return v; });
    if (input.differs() || given == input.values.end() || (*given)->empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", input.name, **given);
  }
  return text;
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  const TextTable table = table_of(comparison);
  std::string page = table.rows.empty() ? "" : to_text(table);  // without rows all were refused
  const std::string common = common_text(comparison);
  if (!common.empty()) page += "\n";
  if (!common.empty()) page += labelled_text("", "The same for all: " + common + ".", 2);
  for (const ComparedAnswer& answer : comparison.answers) {
    if (!answer.prediction) page += labelled_text("! ", fmt::format("{}: refused: {}", answer.name, answer.refusal), 2);
  }
  for (const ComparedAnswer& answer : comparison.answers) {
    if (!answer.prediction) continue;
    for (const std::string& warning : answer.prediction->warnings)
      page += labelled_text("! ", fmt::format("{}: {}", answer.name, warning), 2);
  }
  return page;
}

}  // namespace mlsim::reports
