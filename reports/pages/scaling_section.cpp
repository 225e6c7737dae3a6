#include "reports/pages/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "reports/figure_text.hpp"

namespace mlsim::reports {
namespace {

// A job is asked for its time to target, or without a target for its throughput.
std::string asked_figure(bool job) { return job ? "time to target" : "throughput"; }

Table scaling_table_head(bool job) {
  Table table{"scaling", "The same job at other sizes", {{"accelerators", "1"}, {"global batch", "1"}}};
  const std::string what = asked_figure(job), unit = job ? "s" : "samples/s";
  table.columns.push_back({what, unit});
  add_range_columns(table, job ? "time" : what, unit);
  table.columns.push_back({"ideal", unit});
  table.columns.push_back({"at the knee", unit});
  if (job) table.columns.push_back({"efficiency of the time", "share"});
  if (job) table.columns.push_back({"throughput", "samples/s"});
  table.columns.push_back({"efficiency of the throughput", "share"});
  table.columns.push_back({"step time", "s"});
  if (job) table.columns.push_back({"cost", "USD"});
  return table;
}

void add_job_cells(TableCells& row, const Prediction& p, const Prediction& base, double times, bool knee) {
  if (!p.time_to_target || !base.time_to_target) {
    row.insert(row.end(), 6, TableCell{});
    return;
  }
  const Seconds ideal = *base.time_to_target / times;
  row.push_back(cell(*p.time_to_target));
  add_range<Seconds>(row, p.interval.time_to_target);
  row.push_back(cell(ideal));
  row.push_back(knee ? cell(*p.time_to_target) : TableCell{});
  row.push_back(share_cell(ideal / *p.time_to_target));
}

void add_throughput_cells(TableCells& row, const Prediction& p, const PerSecond ideal, bool knee) {
  const auto rate = [&](std::size_t end) { return p.throughput.value * p.step.time.value / p.interval.step_time[end]; };
  row.push_back(cell(p.throughput));
  add_range<PerSecond>(row, Interval{rate(1), rate(0)});
  row.push_back(cell(ideal));
  row.push_back(knee ? cell(p.throughput) : TableCell{});
}

// The row compares a size with `base`, the smallest one.
TableCells scaling_row(const Prediction& p, const Prediction& base, bool job, bool knee) {
  const double times = static_cast<double>(p.inputs.accelerators) / base.inputs.accelerators;
  TableCells row{count_cell(p.inputs.accelerators), count_cell(p.inputs.global_batch)};
  if (job) {
    add_job_cells(row, p, base, times, knee);
    row.push_back(cell(p.throughput));
  } else {
    add_throughput_cells(row, p, base.throughput * times, knee);
  }
  row.push_back(share_cell(p.throughput / (base.throughput * times)));
  row.push_back(cell(p.step.time));
  if (job) row.push_back(cell(p.cost));
  return row;
}

// Says whether the knee lies before the largest size: at that one the product of time and bill still falls.
bool bends(const Scaling& scaling) {
  const auto last = std::find_if(scaling.sizes.rbegin(), scaling.sizes.rend(),
                                 [](const JobPoint& size) { return size.prediction.has_value(); });
  return std::distance(last, scaling.sizes.rend()) - 1 != static_cast<std::ptrdiff_t>(*scaling.knee);
}

Table scaling_table(const Scaling& scaling, bool job) {
  Table table = scaling_table_head(job);
  const Prediction* base = nullptr;
  for (std::size_t i = 0; i < scaling.sizes.size(); ++i) {
    const auto& answer = scaling.sizes[i].prediction;
    if (!answer) continue;
    if (base == nullptr) base = &*answer;
    table.rows.push_back(scaling_row(*answer, *base, job, scaling.knee == i && bends(scaling)));
  }
  return table;
}

PageChart speed_chart(const Table& table, bool job, bool bends, const std::string& summary) {
  const std::string what = asked_figure(job), range = job ? "time" : what;
  PageChart chart{
      "scaling",
      job ? "Time to target by accelerators" : "Throughput by accelerators",
      summary,
      table.id,
      table.column("accelerators"),
      {"accelerators", "1", true},
      {job ? what : what + ", samples/s", job ? "s" : "samples/s", true},
      {{what, table.column(what), SeriesStyle::line, table.column(range + ", 5 %"), table.column(range + ", 95 %")},
       {"ideal", table.column("ideal"), SeriesStyle::dashed}}};
  if (bends) chart.series.push_back({"knee", table.column("at the knee"), SeriesStyle::marks});
  return chart;
}

PageChart efficiency_chart(const Table& table, bool job) {
  PageChart chart{"efficiency",
                  "Efficiency against the smallest size",
                  "how much of an ideal speed-up is kept at each size.",
                  table.id,
                  table.column("accelerators"),
                  {"accelerators", "1", true},
                  {"efficiency", "share", false},
                  {}};
  if (job) chart.series.push_back({"of the time to target", table.column("efficiency of the time")});
  chart.series.push_back({"of the throughput", table.column("efficiency of the throughput")});
  return chart;
}

std::string knee_text(const Scaling& scaling) {
  const int knee = scaling.sizes[*scaling.knee].accelerators;
  if (!bends(scaling))
    return fmt::format(
        "There is no knee up to {}: the product of time and bill (without a price, of accelerator time) still falls "
        "there.",
        accelerator_count_text(knee));
  return fmt::format(
      "The knee, beyond which more accelerators cost more than they gain in time, is at {}: the product of time and "
      "bill (without a price, of accelerator time) is least there, as speed-up times efficiency is greatest (Eager, "
      "Zahorjan and Lazowska 1989).",
      accelerator_count_text(knee));
}

PageList refused_sizes(const Scaling& scaling) {
  PageList list;
  for (const JobPoint& size : scaling.sizes)
    if (!size.prediction)
      list.items.push_back(fmt::format("{}: left out: {}", accelerator_count_text(size.accelerators), size.refusal));
  return list;
}

}  // namespace

PagePoints answered_sizes(const Scaling& scaling) {
  PagePoints points;
  for (const JobPoint& size : scaling.sizes)
    if (size.prediction)
      points.push_back(
          {figure_text(static_cast<double>(size.accelerators)), size.prediction->inputs.topology, &*size.prediction});
  return points;
}

PageSection scaling_section(const Scaling& scaling) {
  PageSection section{"scaling", "How it scales", {}};
  if (!scaling.knee) {
    section.blocks.emplace_back(PageText{"No second size of this system was answered."});
  } else {
    const bool job = scaling.sizes[*scaling.knee].prediction->time_to_target.has_value();
    Table table = scaling_table(scaling, job);
    const std::string knee = knee_text(scaling);
    section.blocks.emplace_back(
        PageText{"The batch at each size is the one that was asked for; where none was, the one that mlsim chooses "
                 "there. " +
                 knee});
    section.blocks.emplace_back(
        speed_chart(table, job, bends(scaling), "with its 5 to 95 % range and the ideal line. " + knee));
    section.blocks.emplace_back(efficiency_chart(table, job));
    section.blocks.emplace_back(PageTable{std::move(table), true});
  }
  if (PageList refused = refused_sizes(scaling); !refused.items.empty())
    section.blocks.emplace_back(std::move(refused));
  return section;
}

}  // namespace mlsim::reports
