#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/profile/collective_name.hpp"
#include "core/text/units_text.hpp"
#include "reports/figure_text.hpp"
#include "studies/plan/job_bill.hpp"
#include "studies/sweep/store.hpp"

namespace mlsim::reports {
namespace {

constexpr std::size_t kPointsShown = 12, kReasonsShown = 5;  // on a terminal

struct PagedSweep {
  std::vector<SweepAxis> axes;
  std::vector<SweepRow> answered;              // the quickest first, without times those of the highest throughput
  std::map<std::string, std::size_t> reasons;  // of points without an answer
  std::size_t refused = 0, failed = 0;

  std::size_t points() const { return answered.size() + refused + failed; }
};

PagedSweep paged_sweep(const std::string& store) {
  PagedSweep sweep;
  sweep.axes = store_contents(store).identity.axes;
  for_each_row(store, [&](const SweepRow& row) {
    if (row.status == RowStatus::answered) {
      sweep.answered.push_back(row);
    } else {
      ++(row.status == RowStatus::refused ? sweep.refused : sweep.failed);
      ++sweep.reasons[row.reason];
    }
  });
  std::stable_sort(sweep.answered.begin(), sweep.answered.end(), [](const SweepRow& a, const SweepRow& b) {
    const auto key = [](const SweepRow& row) {
      constexpr double kNone = 1e300;
      return std::pair(number_in(row, "time_to_target_s").value_or(kNone),
                       -number_in(row, "throughput_samples_per_s").value_or(0));
    };
    return key(a) < key(b);
  });
  return sweep;
}

// Writes "dgx-a100:nodes=2, batch 256": the values of a point on the axes that have several.
std::string point_text(const PagedSweep& sweep, const SweepRow& row) {
  std::string text;
  const auto values = values_of_point(sweep.axes, row.point);
  for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
    if (sweep.axes[a].values.size() < 2) continue;
    const std::string value = values[a].empty() ? "default" : values[a];
    text += (text.empty() ? "" : ", ") + (sweep.axes[a].key == "topology" ? value : sweep.axes[a].key + " " + value);
  }
  return text.empty() ? "the one point" : text;
}

std::optional<Interval> interval_in(const SweepRow& row, const std::string& low, const std::string& high) {
  const auto from = number_in(row, low), to = number_in(row, high);
  return from && to ? std::optional(Interval{*from, *to}) : std::nullopt;
}

// The bill is empty without a time to a target.
std::optional<JobBill> bill_of(const SweepRow& row) {
  const auto time = number_in(row, "time_to_target_s"), billed = number_in(row, "billed_s");
  if (!time || !billed) return {};
  const auto price = number_in(row, "price_usd_per_s"), cost = number_in(row, "cost_usd");
  JobBill bill;
  bill.time = Seconds(*time);
  bill.billed = Seconds(*billed);
  bill.time_range = interval_in(row, "time_to_target_p5_s", "time_to_target_p95_s").value_or(Interval{*time, *time});
  bill.billed_range = {*billed + bill.time_range[0] - *time, *billed + bill.time_range[1] - *time};
  if (!price || !cost || !(*price > 0)) return bill;
  bill.price = UsdPerSecond(*price);
  bill.billed = Usd(*cost) / *bill.price;
  const Interval costs = interval_in(row, "cost_p5_usd", "cost_p95_usd").value_or(Interval{*cost, *cost});
  bill.billed_range = {costs[0] / *price, costs[1] / *price};
  return bill;
}

// Finds the value of a word at a point; empty where the sweep does not say it.
std::string value_at(const PagedSweep& sweep, const SweepRow& row, const std::string& key) {
  const auto values = values_of_point(sweep.axes, row.point);
  for (std::size_t a = 0; a < sweep.axes.size(); ++a)
    if (sweep.axes[a].key == key && !values.empty()) return values[a];
  return {};
}

// Candidates are grouped by workload: times of different jobs are not better or worse than each other.
std::map<std::string, PageCandidates> swept_candidates(const PagedSweep& sweep) {
  std::map<std::string, PageCandidates> candidates;
  std::size_t count = 0;
  for (const SweepRow& row : sweep.answered) {
    const auto bill = bill_of(row);
    if (!bill || count++ >= kPagePoints) continue;
    candidates[value_at(sweep, row, "workload")].push_back({point_text(sweep, row), value_at(sweep, row, "topology"),
                                                            number_in(row, "used_accelerators").value_or(1),
                                                            number_in(row, "used_global_batch").value_or(1), *bill});
  }
  return candidates;
}

bool is_collective(const SweepRow& row) { return number_in(row, "algorithm_bandwidth_bytes_per_s").has_value(); }

bool of_collectives(const PagedSweep& sweep) {
  return !sweep.answered.empty() && std::all_of(sweep.answered.begin(), sweep.answered.end(), is_collective);
}

// A line has the name of its point but for the payload: "communicator mpi", "all-gather, gke-cpu:nodes=4".
std::vector<CollectivePlot> swept_lines(const PagedSweep& sweep) {
  std::map<std::string, CollectivePlot> lines;
  std::set<CollectiveKind> kinds;
  for (const SweepRow& row : sweep.answered) kinds.insert(parse_collective_name(value_at(sweep, row, "workload")).kind);
  std::vector<SweepAxis> others = sweep.axes;  // in which a point has no payload, nor the kind that all are of
  for (SweepAxis& axis : others)
    if (axis.key == "workload")
      for (std::string& value : axis.values)
        value = kinds.size() > 1 && names_collective(value) ? name(parse_collective_name(value).kind) : "";
  for (const SweepRow& row : sweep.answered) {
    std::string line;
    const auto values = values_of_point(others, row.point);
    for (std::size_t a = 0; a < others.size(); ++a)
      if (others[a].values.size() > 1 && !values[a].empty()) line += (line.empty() ? "" : ", ") + values[a];
    CollectivePlot& plot = lines[line];
    plot.name = line.empty() ? std::string(name(*kinds.begin())) : line;
    plot.points.push_back({parse_collective_name(value_at(sweep, row, "workload")).payload,
                           Seconds(number_in(row, "step_time_s").value_or(0))});
  }
  std::vector<CollectivePlot> all;
  for (auto& [key, plot] : lines) all.push_back(std::move(plot));
  return all;
}

template <class Q>
TableCell quantity_in(const SweepRow& row, const std::string& column) {
  const auto number = number_in(row, column);
  return number ? cell(Q(*number)) : TableCell{};
}

// Writes "batch per chip" of "batch-per-accelerator": a heading whose words may stand on lines of their own.
std::string axis_heading(std::string key) {
  const std::string each = "-per-accelerator";
  if (key.ends_with(each)) key.replace(key.size() - each.size(), each.size(), "-per-chip");
  std::replace(key.begin(), key.end(), '-', ' ');
  return key;
}

void add_collective_cells(TableCells& cells, const SweepRow& row) {
  const auto rate = [&](const char* column) { return to_text(BytesPerSecond(number_in(row, column).value_or(0))); };
  cells.insert(cells.end(), {quantity_in<Seconds>(row, "step_time_s"), rate("algorithm_bandwidth_bytes_per_s"),
                             rate("bus_bandwidth_bytes_per_s")});
}

// The table has the first `most` of the points; `whole` adds their numbers, the step and its memory.
Table points_table(const PagedSweep& sweep, const std::vector<SweepRow>& points, std::size_t most, bool whole) {
  Table table{"points", "Answered points", {}};
  if (whole) table.columns.push_back({"point", "1"});
  for (const SweepAxis& axis : sweep.axes)
    if (axis.values.size() > 1) table.columns.push_back({axis_heading(axis.key)});
  const bool collectives = of_collectives(sweep);
  if (collectives)
    table.columns.insert(table.columns.end(), {{"time", "s"}, {"algorithm bandwidth"}, {"bus bandwidth"}});
  else
    table.columns.insert(table.columns.end(),
                         {{"chips", "1"}, {"throughput", "samples/s"}, {"time to target", "s"}, {"cost", "USD"}});
  if (whole && !collectives) table.columns.insert(table.columns.end(), {{"step time", "s"}, {"memory", "B"}});
  for (const SweepRow& row : points) {
    if (table.rows.size() == most) break;
    TableCells& cells = table.rows.emplace_back();
    if (whole) cells.push_back(count_cell(static_cast<double>(row.point)));
    const auto values = values_of_point(sweep.axes, row.point);
    for (std::size_t a = 0; a < sweep.axes.size(); ++a)
      if (sweep.axes[a].values.size() > 1) cells.emplace_back(values[a].empty() ? "default" : values[a]);
    if (collectives) {
      add_collective_cells(cells, row);
      continue;
    }
    cells.insert(cells.end(), {count_cell(number_in(row, "used_accelerators").value_or(1)),
                               quantity_in<PerSecond>(row, "throughput_samples_per_s"),
                               quantity_in<Seconds>(row, "time_to_target_s"), quantity_in<Usd>(row, "cost_usd")});
    if (whole)
      cells.insert(cells.end(), {quantity_in<Seconds>(row, "step_time_s"), quantity_in<Bytes>(row, "memory_bytes")});
  }
  return table;
}

// Finds the front of time and cost; all answered points where there are no costs.
std::vector<SweepRow> front_points(const PagedSweep& sweep) {
  std::vector<std::optional<TimeAndCost>> priced;
  for (const SweepRow& row : sweep.answered) {
    const auto time = number_in(row, "time_to_target_s"), cost = number_in(row, "cost_usd");
    priced.push_back(time && cost ? std::optional(TimeAndCost{*time, *cost}) : std::nullopt);
  }
  std::vector<SweepRow> front;
  for (const std::size_t i : pareto_front(priced)) front.push_back(sweep.answered[i]);
  return front.empty() ? sweep.answered : front;
}

// Reasons are sorted the most frequent first.
std::vector<std::pair<std::size_t, std::string>> sorted_reasons(const PagedSweep& sweep) {
  std::vector<std::pair<std::size_t, std::string>> reasons;
  for (const auto& [reason, count] : sweep.reasons) reasons.emplace_back(count, reason);
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  return reasons;
}

PageSection all_points_section(const PagedSweep& sweep) {
  PageSection section{"points", "Points", {}};
  if (sweep.answered.size() > kPagePoints)
    section.blocks.emplace_back(PageText{fmt::format("The first {} of {} points; the store has all.", kPagePoints,
                                                     figure_text(static_cast<double>(sweep.answered.size())))});
  section.blocks.emplace_back(PageTable{points_table(sweep, sweep.answered, kPagePoints, true), false});
  return section;
}

PageSection reasons_section(const PagedSweep& sweep) {
  Table table{"reasons", "Reasons", {{"reason"}, {"points", "1"}}};
  for (const auto& [count, reason] : sorted_reasons(sweep))
    if (table.rows.size() < kPagePoints) table.rows.push_back({reason, count_cell(static_cast<double>(count))});
  return {"reasons", "Points without an answer, and why", {PageTable{std::move(table), true}}};
}

PageList first_reasons(const PagedSweep& sweep) {
  PageList list{{}, true};
  const auto reasons = sorted_reasons(sweep);
  for (std::size_t i = 0; i < std::min(reasons.size(), kReasonsShown); ++i)
    list.items.push_back(fmt::format("{} x {}", reasons[i].first, reasons[i].second));
  if (reasons.size() > kReasonsShown)
    list.items.push_back(fmt::format("and {} other reasons, in column reason", reasons.size() - kReasonsShown));
  return list;
}

std::string best_point(const PagedSweep& sweep) {
  const SweepRow& best = sweep.answered.front();
  const auto time = number_in(best, "time_to_target_s");
  if (of_collectives(sweep)) return "";
  if (!time)
    return fmt::format(" Most samples a second come from {}: {}.", point_text(sweep, best),
                       figure_text(PerSecond(number_in(best, "throughput_samples_per_s").value_or(0))));
  const auto range = interval_in(best, "time_to_target_p5_s", "time_to_target_p95_s");
  return fmt::format(" Quickest to the target is {}: {}{}.", point_text(sweep, best), figure_text(Seconds(*time)),
                     range ? ", in nine runs of ten " + interval_text<Seconds>(*range) : "");
}

// The head is the title and the answer.
Page head_of(const PagedSweep& sweep) {
  const auto counted = [](std::size_t count) { return figure_text(static_cast<double>(count)); };
  std::string text = counted(sweep.answered.size()) + " answered";
  if (sweep.refused > 0) text += fmt::format(", {} refused", counted(sweep.refused));
  if (sweep.failed > 0) text += fmt::format(", {} failed", counted(sweep.failed));
  const std::size_t all = points_of(sweep.axes);
  if (sweep.points() < all)
    text += fmt::format(", {} not there yet: the best may be one of them", counted(all - sweep.points()));
  text += "." + (sweep.answered.empty() ? "" : best_point(sweep));
  return {"A sweep of " + counted(all) + " points", {text}, {}, ""};
}

}  // namespace

Page sweep_page(const std::string& store, bool all) {
  const PagedSweep sweep = paged_sweep(store);
  Page page = head_of(sweep);
  if (!sweep.answered.empty()) {
    const std::vector<SweepRow> points = all ? sweep.answered : front_points(sweep);
    const std::size_t most = all ? points.size() : kPointsShown;
    std::vector<PageBlock> blocks{PageTable{points_table(sweep, points, most, false)}};
    if (points.size() > most)
      blocks.emplace_back(PageText{fmt::format("... and {} more (--all)", points.size() - most)});
    if (points.size() < sweep.answered.size())
      blocks.emplace_back(
          PageText{fmt::format("{} of {} shown; each of the others is beaten in both time and cost by one of them "
                               "(--all)",
                               points.size(), sweep.answered.size())});
    page.add(std::move(blocks));
  }
  if (!sweep.reasons.empty()) page.add({first_reasons(sweep)});
  return page;
}

Page sweep_report(const std::string& store, const PageOrigin& origin) {
  const PagedSweep sweep = paged_sweep(store);
  Page page = head_of(sweep);
  page.made_by = origin.made_by;
  if (of_collectives(sweep)) {
    page.sections.push_back(curves_section(swept_lines(sweep)));
    page.sections.push_back(all_points_section(sweep));
  } else if (!sweep.answered.empty()) {
    const auto jobs = swept_candidates(sweep);
    for (const auto& [job, candidates] : jobs)
      page.sections.push_back(cost_section(candidates, jobs.size() == 1 ? "" : job));
    if (jobs.size() == 1)
      page.sections.push_back(price_section(jobs.begin()->second, "point", slider_start(jobs.begin()->second)));
    page.sections.push_back(all_points_section(sweep));
  }
  if (!sweep.reasons.empty()) page.sections.push_back(reasons_section(sweep));
  page.sections.push_back(repeat_section(origin, nullptr));
  return page;
}

}  // namespace mlsim::reports
