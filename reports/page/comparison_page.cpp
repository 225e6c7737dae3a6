#include "reports/page/comparison_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reports/figure_text.hpp"
#include "reports/page/cost_section.hpp"
#include "reports/page/parts_section.hpp"

namespace mlsim::reports {
namespace {

constexpr const char* kByColumn = "answer";

PageCell figure_cell(const std::string& unit, double value) {
  if (unit == "s") return cell(Seconds(value));
  if (unit == "USD") return cell(Usd(value));
  if (unit == "USD/s") return cell(UsdPerSecond(value));
  if (unit == "B") return cell(Bytes(value));
  if (unit == "1/s") return cell(PerSecond(value));
  return share_cell(value);
}

std::string figure_words(const ComparedFigure& figure, std::size_t i) {
  if (!figure.values[i]) return "";
  std::string text = figure_cell(figure.unit, *figure.values[i]).text;
  if (figure.intervals[i])
    text += fmt::format(" ({})", figure.unit == "USD" ? interval_text<Usd>(*figure.intervals[i])
                                                      : interval_text<Seconds>(*figure.intervals[i]));
  if (figure.best == i) return text + ", best";
  const auto ratio = figure.ratio(i);
  return ratio ? text + fmt::format(", {:.2f}x worse", *ratio) : text;
}

const ComparedFigure* named_figure(const Comparison& comparison, const std::string& name) {
  const auto found = std::find_if(comparison.figures.begin(), comparison.figures.end(),
                                  [&](const auto& figure) { return figure.name == name && figure.best; });
  return found == comparison.figures.end() ? nullptr : &*found;
}

// "tpu-v3-32: 27.4 min, in nine runs of ten 24.4 .. 30.8 min"
std::string best_text(const Comparison& comparison, const ComparedFigure& figure) {
  const std::size_t best = *figure.best;
  std::string text =
      fmt::format("{}: {}", comparison.answers[best].name, figure_cell(figure.unit, *figure.values[best]).text);
  if (figure.intervals[best])
    text +=
        fmt::format(", in nine runs of ten {}", figure.unit == "USD" ? interval_text<Usd>(*figure.intervals[best])
                                                                     : interval_text<Seconds>(*figure.intervals[best]));
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
  return "Fewer than two of the answers can be compared.";
}

PageTable comparison_table(const Comparison& comparison) {
  PageTable table{"comparison", "The answers side by side", {{"figure"}}};
  for (const ComparedAnswer& answer : comparison.answers) table.columns.push_back({answer.name});
  for (const ComparedInput& input : comparison.inputs) {
    if (!input.differs()) continue;
    std::vector<PageCell> row{word_cell(input.name)};
    for (const auto& value : input.values) row.push_back(word_cell(value.value_or("refused")));
    table.rows.push_back(std::move(row));
  }
  for (const ComparedFigure& figure : comparison.figures) {
    std::vector<PageCell> row{word_cell(figure.name)};
    for (std::size_t i = 0; i < figure.values.size(); ++i) row.push_back(word_cell(figure_words(figure, i)));
    if (std::any_of(row.begin() + 1, row.end(), [](const PageCell& c) { return !c.text.empty(); }))
      table.rows.push_back(std::move(row));
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

PageSection side_by_side(const Comparison& comparison) {
  PageSection section{"comparison", "Side by side", {}};
  if (PageList list = comparison_warnings(comparison); !list.items.empty())
    section.blocks.emplace_back(std::move(list));
  std::string same;
  for (const ComparedInput& input : comparison.inputs) {
    const auto given = std::find_if(input.values.begin(), input.values.end(), [](const auto& v) { return v; });
    if (input.differs() || given == input.values.end() || (*given)->empty()) continue;
    same += fmt::format("{}{} {}", same.empty() ? "" : ", ", input.name, **given);
  }
  if (!same.empty()) section.blocks.emplace_back(PageText{"The same for all: " + same + "."});
  section.blocks.emplace_back(PageTableBlock{comparison_table(comparison), false});
  return section;
}

std::string workload_text(const Comparison& comparison) {
  for (const ComparedInput& input : comparison.inputs)
    if (input.name == "workload" && !input.differs())
      for (const auto& value : input.values)
        if (value) return *value;
  return "Several workloads";
}

// What nine runs of ten of the quickest keep.
Seconds deadline_of(const PageCandidates& candidates) {
  Seconds least;
  for (const PageCandidate& c : candidates)
    if (const Seconds end(c.bill.time_range[1]); least.value == 0 || end < least) least = end;
  return least;
}

}  // namespace

ReportPage comparison_page(const Comparison& comparison, const PageOrigin& origin) {
  ReportPage page;
  page.title = fmt::format("{}: {} answers compared", workload_text(comparison), comparison.answers.size());
  page.made_by = origin.made_by;
  page.answer.push_back(best_sentence(comparison));
  page.sections.push_back(side_by_side(comparison));
  const PagePoints points = columns_of(comparison);
  if (!points.empty()) {
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
