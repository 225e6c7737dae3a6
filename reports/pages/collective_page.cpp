#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "calibrate/collectives/nccl_tests_table.hpp"
#include "core/text/units_text.hpp"
#include "costs/collective_time.hpp"

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

}  // namespace

Page curves_page(const std::vector<CollectiveCurve>& curves, const std::vector<std::string>& hosts) {
  Page page;
  for (const CollectiveCurve& curve : curves)
    is_fitted(curve) ? add_fitted(page, curve) : add_measured(page, curve, hosts);
  return page;
}

}  // namespace mlsim::reports
