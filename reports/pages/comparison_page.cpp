#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text/units_text.hpp"
#include "reports/answers/answer_texts.hpp"
#include "reports/figure_text.hpp"

namespace mlsim::reports {
namespace {

constexpr const char* kByColumn = "answer";

TableCell figure_cell(const std::string& unit, double value) {
  if (unit == "s") return cell(Seconds(value));
  if (unit == "USD") return cell(Usd(value));
  if (unit == "USD/s") return cell(UsdPerSecond(value));
  if (unit == "B") return cell(Bytes(value));
  if (unit == "1/s") return cell(PerSecond(value));
  if (unit == "J") return {joules_text(value), value};
  if (unit == "kg") return {carbon_text(value), value};
  if (unit == "B/s") return {to_text(BytesPerSecond(value)), value};
  return share_cell(value);
}

std::string range_text(const std::string& unit, const Interval& interval) {
  return unit == "USD" ? interval_text<Usd>(interval) : interval_text<Seconds>(interval);
}

// The cells are "27.4 min best", "30.1 min 1.10x".
TableCells figure_row(const ComparedFigure& figure) {
  TableCells row{figure.name};
  for (std::size_t i = 0; i < figure.values.size(); ++i) {
    std::string text = figure.values[i] ? figure_cell(figure.unit, *figure.values[i]).text : "-";
    if (figure.best == i) {
      text += " best";
    } else if (const auto ratio = figure.ratio(i)) {
      text += fmt::format(" {:.2f}x", *ratio);
    }
    row.emplace_back(std::move(text));
  }
  return row;
}

TableCells range_row(const ComparedFigure& figure) {
  TableCells row{"  9 of 10"};
  for (const auto& interval : figure.intervals) row.emplace_back(interval ? range_text(figure.unit, *interval) : "");
  return row;
}

const ComparedFigure* named_figure(const Comparison& comparison, const std::string& name) {
  const auto found = std::find_if(comparison.figures.begin(), comparison.figures.end(),
                                  [&](const auto& figure) { return figure.name == name && figure.best; });
  return found == comparison.figures.end() ? nullptr : &*found;
}

// Writes "tpu-v3-32: 27.4 min, in nine runs of ten 24.4 .. 30.8 min".
std::string best_text(const Comparison& comparison, const ComparedFigure& figure) {
  const std::size_t best = *figure.best;
  std::string text =
      fmt::format("{}: {}", comparison.answers[best].name, figure_cell(figure.unit, *figure.values[best]).text);
  if (figure.intervals[best]) text += ", in nine runs of ten " + range_text(figure.unit, *figure.intervals[best]);
  return text;
}

std::string best_sentence(const Comparison& comparison) {
  const ComparedFigure* time = named_figure(comparison, "time to target");
  const ComparedFigure* cost = named_figure(comparison, "cost");
  const ComparedFigure* rate = named_figure(comparison, "throughput");
  if (time != nullptr && cost != nullptr)
    return fmt::format("Quickest to the target is {}. Cheapest is {}.", best_text(comparison, *time),
                       best_text(comparison, *cost));
  if (time != nullptr) return fmt::format("Quickest to the target is {}.", best_text(comparison, *time));
  if (rate != nullptr) return fmt::format("Most samples a second come from {}.", best_text(comparison, *rate));
  if (const ComparedFigure* step = named_figure(comparison, "step time"); step != nullptr)
    return fmt::format("Quickest is {}.", best_text(comparison, *step));
  return "Fewer than two of the answers can be compared.";
}

// The table says what differs, then the figures, a column for each answer: the best is named, the others say how many
// times worse they are.
Table comparison_table(const Comparison& comparison) {
  Table table{"comparison", "The answers side by side", {{""}}};
  for (const ComparedAnswer& answer : comparison.answers) table.columns.push_back({answer.name});
  for (const ComparedInput& input : comparison.inputs) {
    if (!input.differs()) continue;
    TableCells& row = table.rows.emplace_back(TableCells{input.name});
    for (const auto& value : input.values) row.emplace_back(!value ? "refused" : value->empty() ? "-" : *value);
  }
  const auto any = [](const auto& some) {
    return std::any_of(some.begin(), some.end(), [](const auto& x) { return x.has_value(); });
  };
  for (const ComparedFigure& figure : comparison.figures) {
    if (any(figure.values)) table.rows.push_back(figure_row(figure));
    if (any(figure.intervals)) table.rows.push_back(range_row(figure));
  }
  return table;
}

PagePoints columns_of(const Comparison& comparison) {
  PagePoints points;
  for (const ComparedAnswer& answer : comparison.answers)
    if (answer.prediction) points.push_back({answer.name, answer.name, &*answer.prediction});
  return points;
}

PageList comparison_warnings(const Comparison& comparison) {
  PageList list{{}, true};
  for (const ComparedAnswer& answer : comparison.answers) {
    if (!answer.prediction) list.items.push_back(fmt::format("{}: refused: {}", answer.name, answer.refusal));
    if (!answer.prediction) continue;
    for (const std::string& warning : answer.prediction->warnings)
      list.items.push_back(fmt::format("{}: {}", answer.name, warning));
  }
  return list;
}

// Writes "precision fp16, recipe mlperf-v0.7"; empty where nothing was answered.
std::string common_text(const Comparison& comparison) {
  std::string text;
  for (const ComparedInput& input : comparison.inputs) {
    const auto given = std::find_if(input.values.begin(), input.values.end(), [](const auto& v) { return v; });
    if (input.differs() || given == input.values.end() || (*given)->empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", input.name, **given);
  }
  return text;
}

std::string workload_text(const Comparison& comparison) {
  for (const ComparedInput& input : comparison.inputs)
    if (input.name == "workload" && !input.differs())
      for (const auto& value : input.values)
        if (value) return *value;
  return "Several workloads";
}

// The deadline slider begins at the least 95th percentile of the candidates' times.
Seconds deadline_of(const PageCandidates& candidates) {
  Seconds least;
  for (const PageCandidate& c : candidates)
    if (const Seconds end(c.bill.time_range[1]); least.value == 0 || end < least) least = end;
  return least;
}

}  // namespace

Page comparison_page(const Comparison& comparison) {
  Page page{fmt::format("{}: {} answers compared", workload_text(comparison), comparison.answers.size()), {}, {}, ""};
  if (comparison.targets_differ)
    page.answer.emplace_back(
        "! targets differ: times and costs below are of different jobs; --set recipe= or target= asks for one.");
  page.answer.push_back(best_sentence(comparison));
  // The table has no rows where all were refused.
  if (Table table = comparison_table(comparison); !table.rows.empty())
    page.sections.push_back({"comparison", "Side by side", {PageTable{std::move(table)}}});
  std::vector<PageBlock> below;
  if (const std::string common = common_text(comparison); !common.empty())
    below.emplace_back(PageText{"The same for all: " + common + "."});
  if (PageList list = comparison_warnings(comparison); !list.items.empty()) below.emplace_back(std::move(list));
  page.add(std::move(below));
  return page;
}

Page comparison_report(const Comparison& comparison, const PageOrigin& origin) {
  Page page = comparison_page(comparison);
  page.made_by = origin.made_by;
  const PagePoints points = columns_of(comparison);
  const bool collectives =
      std::all_of(points.begin(), points.end(), [](const PagePoint& point) { return point.prediction->collective; });
  if (collectives && !points.empty()) {
    page.sections.push_back(basis_section(points));
  } else if (!points.empty()) {
    const PageCandidates candidates = page_candidates(points);
    page.sections.push_back(cost_section(candidates));
    page.sections.push_back(step_section(points, kByColumn));
    page.sections.push_back(memory_section(points, kByColumn));
    page.sections.push_back(price_section(candidates, kByColumn, {deadline_of(candidates)}));
    page.sections.push_back(basis_section(points));
  }
  page.sections.push_back(repeat_section(origin, nullptr));
  return page;
}

}  // namespace mlsim::reports
