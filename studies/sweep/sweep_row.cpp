#include "studies/sweep/sweep_row.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "sim/job/job_clock.hpp"
#include "studies/answer_figure.hpp"

namespace mlsim::studies {
namespace {

struct FilledColumn {
  RowColumn column;
  std::function<Cell(const Prediction&)> cell;
};

// "step time" and "s": "step_time_s"
std::string column_name(std::string name, const std::string& part, const std::string& unit) {
  if (!part.empty()) name += "_" + part;
  if (unit == "1/s") name += "_per_s";
  if (unit == "s") name += "_s";
  if (unit == "B") name += "_bytes";
  if (unit == "USD") name += "_usd";
  if (unit == "USD/s") name += "_usd_per_s";
  std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c == ' ' ? '_' : std::tolower(c); });
  return name;
}

Cell cell_of(std::optional<double> number) { return number && std::isfinite(*number) ? Cell(*number) : Cell(); }

void add_figure(std::vector<FilledColumn>& columns, const AnswerFigure& figure) {
  columns.push_back({{column_name(figure.name, "", figure.unit), true},
                     [&figure](const Prediction& p) { return cell_of(figure.value(p)); }});
  if (!figure.interval) return;
  for (const std::size_t end : {0, 1}) {
    columns.push_back(
        {{column_name(figure.name, end == 0 ? "p5" : "p95", figure.unit), true}, [&figure, end](const Prediction& p) {
           const auto interval = figure.interval(p);
           return interval ? cell_of((*interval)[end]) : Cell();
         }});
  }
}

void add_number(std::vector<FilledColumn>& columns, const std::string& name,
                std::function<std::optional<double>(const Prediction&)> value) {
  columns.push_back({{name, true}, [value = std::move(value)](const Prediction& p) { return cell_of(value(p)); }});
}

void add_text(std::vector<FilledColumn>& columns, const std::string& name,
              std::function<std::string(const Prediction&)> text) {
  columns.push_back({{name, false}, [text = std::move(text)](const Prediction& p) {
                       const std::string said = text(p);
                       return said.empty() ? Cell() : Cell(said);
                     }});
}

std::vector<FilledColumn> filled_columns() {
  using P = Prediction;
  using Number = std::optional<double>;
  std::vector<FilledColumn> all;
  for (const AnswerFigure& figure : figures()) add_figure(all, figure);
  add_number(all, "billed_s", [](const P& p) { return p.job ? Number(p.job->billed.value) : Number(); });
  add_number(all, "held_s", [](const P& p) {
    return p.job && p.time_to_target ? Number(held_time(*p.job, *p.time_to_target).value) : Number();
  });
  add_number(all, "epochs_to_target", [](const P& p) { return p.job ? Number(p.job->epochs_to_target) : Number(); });
  add_number(all, "speedup", [](const P& p) { return Number(p.speedup); });
  add_number(all, "compute_s", [](const P& p) { return Number(p.step.compute.value); });
  add_number(all, "exposed_communication_s", [](const P& p) { return Number(p.step.exposed_communication.value); });
  add_number(all, "input_wait_s", [](const P& p) { return Number(p.step.input_wait.value); });
  add_number(all, "bubble_s", [](const P& p) { return Number(p.step.bubble.value); });
  add_number(all, "overhead_s", [](const P& p) { return Number(p.step.overhead.value); });
  add_number(all, "memory_capacity_bytes", [](const P& p) { return Number(p.memory.capacity.value); });
  add_number(all, "largest_batch_per_accelerator",
             [](const P& p) { return Number(p.memory.largest_batch_per_accelerator); });
  add_number(all, "used_accelerators", [](const P& p) { return Number(p.inputs.accelerators); });
  add_number(all, "used_global_batch", [](const P& p) { return Number(p.inputs.global_batch); });
  add_text(all, "accelerator", [](const P& p) { return p.inputs.accelerator; });
  add_text(all, "used_precision", [](const P& p) { return p.inputs.precision; });
  add_text(all, "used_parallelism", [](const P& p) { return p.inputs.parallelism; });
  add_text(all, "used_recipe", [](const P& p) { return p.inputs.recipe; });
  add_text(all, "trust", [](const P& p) { return std::string(name(p.trust.level)); });
  add_text(all, "target", [](const P& p) { return p.inputs.target; });
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

const Words<RowStatus>& words(RowStatus) {
  static const Words<RowStatus> table{"status", {"answered", "refused", "failed"}};
  return table;
}

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
