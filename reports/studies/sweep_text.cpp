#include "reports/studies/sweep_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/units.hpp"
#include "reports/figure_text.hpp"
#include "reports/text_table.hpp"
#include "reports/wrapped_text.hpp"
#include "studies/plan/pareto_front.hpp"
#include "studies/sweep/store.hpp"

namespace mlsim::reports {
namespace {

constexpr std::size_t kRowsShown = 12;
constexpr std::size_t kReasonsShown = 5;

// An answered point with what it is sorted by.
struct SweptPoint {
  std::size_t point = 0;
  std::optional<double> time, cost, throughput;
  std::optional<double> accelerators;
};

struct SweepSummary {
  std::vector<SweptPoint> answered;
  std::map<std::string, std::size_t> reasons;  // of points without an answer
  std::size_t refused = 0, failed = 0;
};

SweepSummary summary_of(const std::string& store) {
  SweepSummary summary;
  for_each_row(store, [&](const SweepRow& row) {
    if (row.status == RowStatus::answered) {
      summary.answered.push_back({row.point, number_in(row, "time_to_target_s"), number_in(row, "cost_usd"),
                                  number_in(row, "throughput_samples_per_s"), number_in(row, "used_accelerators")});
      return;
    }
    ++(row.status == RowStatus::refused ? summary.refused : summary.failed);
    ++summary.reasons[row.reason];
  });
  return summary;
}

// The front of time and cost; without costs all, the quickest first, and without times those of the highest throughput.
std::vector<SweptPoint> shown_points(const std::vector<SweptPoint>& points) {
  std::vector<std::optional<TimeAndCost>> priced;
  for (const SweptPoint& p : points)
    priced.push_back(p.time && p.cost ? std::optional(TimeAndCost{*p.time, *p.cost}) : std::nullopt);
  std::vector<SweptPoint> shown;
  for (const std::size_t i : pareto_front(priced)) shown.push_back(points[i]);
  if (!shown.empty()) return shown;
  shown = points;
  const auto key = [](const SweptPoint& p) { return std::tuple(p.time.value_or(1e300), -p.throughput.value_or(0)); };
  std::stable_sort(shown.begin(), shown.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return shown;
}

TextTable points_table(const std::vector<SweptPoint>& points, const std::vector<SweepAxis>& axes) {
  TextTable table;
  table.columns.push_back({"point", Align::right});
  for (const SweepAxis& axis : axes)
    if (axis.values.size() > 1) table.columns.push_back({axis.key});
  for (const char* heading : {"chips", "samples/s", "time to target", "cost"})
    table.columns.push_back({heading, Align::right, true});
  for (const SweptPoint& p : points) {
    std::vector<std::string> cells{fmt::to_string(p.point)};
    const auto values = values_of_point(axes, p.point);
    for (std::size_t a = 0; a < axes.size(); ++a)
      if (axes[a].values.size() > 1) cells.push_back(values[a].empty() ? "default" : values[a]);
    cells.push_back(p.accelerators ? fmt::format("{:.0f}", *p.accelerators) : "-");
    cells.push_back(p.throughput ? figure_text(PerSecond(*p.throughput)) : "-");
    cells.push_back(p.time ? figure_text(Seconds(*p.time)) : "-");
    cells.push_back(p.cost ? figure_text(Usd(*p.cost)) : "-");
    table.rows.push_back(std::move(cells));
    if (table.rows.size() == kRowsShown) break;
  }
  return table;
}

std::string reasons_text(const SweepSummary& summary) {
  std::vector<std::pair<std::size_t, std::string>> reasons;
  for (const auto& [reason, count] : summary.reasons) reasons.emplace_back(count, reason);
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string page;
  for (std::size_t i = 0; i < reasons.size() && i < kReasonsShown; ++i) {
    page += labelled_text("! ", fmt::format("{} x {}", reasons[i].first, reasons[i].second), 2);
  }
  if (reasons.size() > kReasonsShown)
    page += fmt::format("! and {} other reasons, in column reason\n", reasons.size() - kReasonsShown);
  return page;
}

}  // namespace

std::string sweep_text(const std::string& store) {
  const std::vector<SweepAxis> axes = store_contents(store).identity.axes;
  const SweepSummary summary = summary_of(store);
  std::string page = fmt::format("{} answered", summary.answered.size());
  if (summary.refused > 0) page += fmt::format(", {} refused", summary.refused);
  if (summary.failed > 0) page += fmt::format(", {} failed", summary.failed);
  page += "\n";
  const std::vector<SweptPoint> shown = shown_points(summary.answered);
  if (!shown.empty()) {
    page += "\n" + to_text(points_table(shown, axes));
    if (shown.size() > kRowsShown) page += fmt::format("... and {} more\n", shown.size() - kRowsShown);
  }
  if (!summary.reasons.empty()) page += "\n" + reasons_text(summary);
  return page;
}

}  // namespace mlsim::reports
