#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "calibrate/collectives/nccl_tests_table.hpp"
#include "core/text/units_text.hpp"
#include "costs/collective_time.hpp"
#include "reports/answers/answer_texts.hpp"
#include "reports/figure_text.hpp"

namespace mlsim::reports {
namespace {

void add_measured(Page& page, const CollectiveCurve& curve, const std::vector<std::string>& hosts) {
  page.add({PageVerbatim{
      nccl_tests_table(curve, hosts) +
      fmt::format("# Fit of {} segments: median error {:.1f} %, 90th percentile {:.1f} %; held back: {:.1f} %\n",
                  curve.segments.size(), 100 * curve.residual.median, 100 * curve.residual.p90,
                  100 * curve.held_back.median)}});
}

// The payloads to show are eight times apart, and those that were measured.
std::set<Bytes> payloads_to_show(const CollectiveCurve& curve) {
  constexpr std::size_t kStride = 3;
  std::set<Bytes> payloads;
  for (std::size_t i = 0; i < curve.knots.size(); i += kStride) payloads.insert(curve.knots[i].payload);
  for (const auto& point : curve.points) payloads.insert(point.payload);
  return payloads;
}

const CollectivePoint* point_at(const CollectiveCurve& curve, Bytes payload) {
  for (const auto& point : curve.points)
    if (point.payload == payload) return &point;
  return nullptr;
}

Table course_table(const CollectiveCurve& curve) {
  Table table = table_of(figure_columns("payload", "curve", "busbw GB/s"));
  if (!curve.points.empty()) {
    table.columns.push_back(figure_column("measured"));
    table.columns.push_back(figure_column("curve is off by"));
  }
  for (const Bytes payload : payloads_to_show(curve)) {
    const Seconds time = collective_time(curve, payload);
    const double bus = (payload / time).value * 1e-9 * bus_bandwidth_factor(curve.kind, curve.ranks());
    TableCells& row = table.rows.emplace_back(TableCells{to_text(payload), to_text(time), fmt::format("{:.2f}", bus)});
    if (const CollectivePoint* point = point_at(curve, payload)) {
      row.push_back(to_text(point->time.median));
      const double off = 100 * (time / point->time.median - 1);
      row.push_back(std::abs(off) < 0.05 ? "0.0 %" : fmt::format("{:+.1f} %", off));
    }
  }
  return table;
}

std::string fit_sentence(const CollectiveCurve& curve) {
  if (curve.held_back == curve.residual)
    return fmt::format(
        "The structure misses these sizes by {:.0f} % (90th percentile), more than those of others: this system does "
        "not run as its hardware suggests, so that the curve goes through what was measured instead. Measure seven "
        "sizes or more.",
        100 * curve.residual.p90);
  return fmt::format(
      "On published systems that the constants were not fitted to, such curves are off by {:.0f} % in the median and "
      "{:.0f} % at the 90th percentile.",
      100 * curve.held_back.median, 100 * curve.held_back.p90);
}

void add_fitted(Page& page, const CollectiveCurve& curve) {
  page.add({PageText{fmt::format("{} by {} between {} x {} ranks{}{}: {}", name(curve.kind), curve.communicator,
                                 curve.nodes, curve.ranks_per_node, curve.machine.empty() ? "" : " of " + curve.machine,
                                 curve.points.empty() ? "" : fmt::format(", {}", name(curve.precision)),
                                 curve.source.source)}});
  page.add({PageTable{course_table(curve)}});
  page.add({PageText{fit_sentence(curve)}});
}

Table collective_table(const Prediction& p) {
  const auto& c = *p.collective;
  Table table{"figures", "The answer in figures", {{"figure"}, {"value"}}};
  const auto add = [&](const char* name, const std::string& value) { table.rows.push_back({name, value}); };
  add("time", figure_text(p.step.time));
  if (p.interval.step_time[1] > 0) add("in nine runs of ten", interval_text<Seconds>(p.interval.step_time));
  add("algorithm bandwidth", to_text(c.algorithm_bandwidth));
  add("bus bandwidth", to_text(c.bus_bandwidth));
  add("backend", c.backend.empty() ? "none in particular" : c.backend);
  add("algorithm", c.algorithm);
  if (c.messages) add("messages of a rank, one after the other", fmt::format("{:g}", *c.messages));
  add("trust", fmt::format("{}: {}", name(p.trust.level), p.trust.why.text));
  return table;
}

PageSection time_section(const Prediction& p) {
  Table table{"parts", "Where the time goes", {{"part"}, {"time", "s"}}};
  table.rows = {{"latency", cell(p.collective->latency)}, {"bytes", cell(p.collective->transfer)}};
  PageChart chart{"parts-chart",
                  "Where the time goes",
                  "What one byte would take, and the rest, which goes with the bytes.",
                  table.id,
                  0,
                  {"part", ""},
                  {"time", "s"},
                  {{"time", 1, SeriesStyle::bars}}};
  chart.lying = true;
  return {"parts", "Where the time goes", {std::move(chart), PageTable{std::move(table), true}}};
}

// The first column is the payload, then comes a line each; a payload that a line has not stays empty there.
Table curves_of(const std::vector<CollectivePlot>& lines) {
  Table table{"curves", "Time by payload", {{"payload", "B"}}};
  std::map<double, TableCells> rows;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    table.columns.push_back({lines[i].name, "s"});
    for (const CollectivePlot::Point& point : lines[i].points) {
      TableCells& row = rows[point.payload.value];
      row.resize(lines.size() + 1);
      row[0] = cell(point.payload);
      row[i + 1] = cell(point.time);
    }
  }
  for (auto& [payload, row] : rows) table.rows.push_back(std::move(row));
  return table;
}

}  // namespace

Page curves_page(const std::vector<CollectiveCurve>& curves, const std::vector<std::string>& hosts) {
  Page page;
  for (const CollectiveCurve& curve : curves)
    is_fitted(curve) ? add_fitted(page, curve) : add_measured(page, curve, hosts);
  return page;
}

Page collective_answer_page(const Prediction& prediction, const PageOrigin& origin) {
  Page page;
  page.title = fmt::format("{} on {}", prediction.inputs.workload, prediction.inputs.topology);
  page.made_by = origin.made_by;
  page.answer.push_back(collective_headline(prediction) + ".");
  PageSection answer{"answer", "The answer", {}};
  if (!prediction.warnings.empty()) answer.blocks.emplace_back(PageList{prediction.warnings, true});
  answer.blocks.emplace_back(PageTable{collective_table(prediction)});
  page.sections.push_back(std::move(answer));
  page.sections.push_back(time_section(prediction));
  page.sections.push_back(basis_section({{"this answer", prediction.inputs.topology, &prediction}}));
  page.sections.push_back(repeat_section(origin, &prediction));
  return page;
}

PageSection curves_section(const std::vector<CollectivePlot>& lines) {
  Table table = curves_of(lines);
  PageChart chart{"curves-chart",
                  "Time of a collective by its payload",
                  fmt::format("The time against the payload, {} line{}.", lines.size(), lines.size() == 1 ? "" : "s"),
                  table.id,
                  0,
                  {"payload of a rank", "B", true},
                  {"time", "s", true},
                  {}};
  for (std::size_t i = 0; i < lines.size(); ++i) chart.series.push_back({lines[i].name, i + 1});
  return {"curves", "Time by payload", {std::move(chart), PageTable{std::move(table), true}}};
}

}  // namespace mlsim::reports
