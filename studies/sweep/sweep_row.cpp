#include "studies/sweep/sweep_row.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "studies/answer_figure.hpp"

namespace mlsim::studies {
namespace {

struct FilledColumn {
  RowColumn column;
  std::function<Cell(const Prediction&)> cell;
};

// Makes "step_time_p5_s" of "step_time_s" and "p5".
std::string percentile_name(const AnswerFigure& figure, const std::string& percentile) {
  const auto unit = figure.key.rfind('_');
  return figure.key.substr(0, unit) + "_" + percentile + figure.key.substr(unit);
}

Cell cell_of(std::optional<double> number) { return number && std::isfinite(*number) ? Cell(*number) : Cell(); }
Cell cell_of(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

void add_figure(std::vector<FilledColumn>& columns, const AnswerFigure& figure) {
  columns.push_back({{figure.key, true}, [&figure](const Prediction& p) { return cell_of(figure.value(p)); }});
  if (!figure.interval) return;
  for (const std::size_t end : {0, 1}) {
    columns.push_back({{percentile_name(figure, end == 0 ? "p5" : "p95"), true}, [&figure, end](const Prediction& p) {
                         const auto interval = figure.interval(p);
                         return interval ? cell_of((*interval)[end]) : Cell();
                       }});
  }
}

std::vector<FilledColumn> filled_columns() {
  std::vector<FilledColumn> all;
  for (const AnswerFigure& figure : figures()) add_figure(all, figure);
  all.push_back({{"accelerator", false}, [](const Prediction& p) { return cell_of(p.inputs.accelerator); }});
  for (const AnsweredInput& input : answered_inputs())
    if (!input.key.empty())
      all.push_back({{input.key, false}, [&input](const Prediction& p) { return cell_of(input.text(p)); }});
  return all;
}

const std::vector<FilledColumn>& columns() {
  static const std::vector<FilledColumn> all = filled_columns();
  return all;
}

nlohmann::json json_of(const SweepRow& row) {
  nlohmann::json cells = nlohmann::json::array();
  for (const Cell& cell : row.cells) {
    if (const auto* number = std::get_if<double>(&cell))
      cells.push_back(*number);
    else if (const auto* text = std::get_if<std::string>(&cell))
      cells.push_back(*text);
    else
      cells.push_back(nullptr);
  }
  return nlohmann::json::array({row.point, static_cast<int>(row.status), row.reason, cells});
}

SweepRow row_from(const nlohmann::json& json) {
  SweepRow row{
      json.at(0).get<std::size_t>(), static_cast<RowStatus>(json.at(1).get<int>()), json.at(2).get<std::string>(), {}};
  for (const auto& cell : json.at(3)) {
    if (cell.is_null())
      row.cells.emplace_back();
    else if (cell.is_string())
      row.cells.emplace_back(cell.get<std::string>());
    else
      row.cells.emplace_back(cell.get<double>());
  }
  return row;
}

}  // namespace

const std::vector<RowColumn>& row_columns() {
  static const std::vector<RowColumn> names = [] {
    std::vector<RowColumn> all;
    for (const FilledColumn& filled : columns()) all.push_back(filled.column);
    return all;
  }();
  return names;
}

SweepRow row_of(std::size_t point, const Prediction& prediction) {
  SweepRow row{point, RowStatus::answered, "", {}};
  for (const FilledColumn& filled : columns()) row.cells.push_back(filled.cell(prediction));
  return row;
}

namespace {

template <class Value>
const Value* value_in(const SweepRow& row, const std::string& column) {
  const auto& all = row_columns();
  const auto found = std::find_if(all.begin(), all.end(), [&](const RowColumn& known) { return known.name == column; });
  if (found == all.end()) throw std::logic_error("rows have no column " + column);
  return row.cells.empty() ? nullptr : std::get_if<Value>(&row.cells[found - all.begin()]);
}

}  // namespace

std::optional<double> number_in(const SweepRow& row, const std::string& column) {
  const auto* number = value_in<double>(row, column);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::string packed_rows(const std::vector<SweepRow>& rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const SweepRow& row : rows) all.push_back(json_of(row));
  const auto bytes = nlohmann::json::to_cbor(all);
  return {bytes.begin(), bytes.end()};
}

std::vector<SweepRow> unpacked_rows(std::string_view packed) {
  std::vector<SweepRow> rows;
  for (const auto& row : nlohmann::json::from_cbor(packed)) rows.push_back(row_from(row));
  return rows;
}

}  // namespace mlsim::studies
