#include "reports/pages/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/quantile.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::reports {

PageSection lab_runs_section(const LabRuns& lab) {
  Table table = table_of(word_columns("link", "step"), figure_columns("hosts", "predicted", "measured", "error",
                                                                      "kernel", "collective", "contention", "overlap"));
  const auto percent = [](double share) { return fmt::format("{:+.1f}", 100 * share); };
  std::vector<double> errors;
  for (const LabRun& run : lab.runs) {
    errors.push_back(std::abs(run.error()));
    table.rows.push_back({run.rate, run.step, count_cell(run.hosts), to_text(run.predicted), to_text(run.measured),
                          percent(run.error()) + " %", percent(run.kernel), percent(run.collective),
                          percent(run.contention), percent(run.overlap)});
  }
  std::sort(errors.begin(), errors.end());
  const std::string note = fmt::format(
      "Median error {:.1f} %, worst {:.1f} % of {} runs; rank correlation (Spearman) of predicted and measured steps "
      "{:.2f}. Parts in percent of the measured step; docs/replay.md says what they are.",
      100 * quantile(errors, 0.5), 100 * errors.back(), errors.size(), rank_correlation(lab.runs));
  return {"lab", "Real runs of ours", {PageText{lab.measured_on}, PageTable{std::move(table)}, PageText{note}}};
}

}  // namespace mlsim::reports
