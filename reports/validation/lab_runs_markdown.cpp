#include "reports/validation/lab_runs_markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/quantile.hpp"
#include "core/text/units_text.hpp"
#include "reports/markdown_table.hpp"

namespace mlsim::reports {

std::string lab_runs_markdown(const LabRuns& lab) {
  std::string out = "## Real runs of ours\n\n" + lab.measured_on + "\n\n" +
                    markdown_head({"hosts", "link", "step", "predicted", "measured", "error", "kernel", "collective",
                                   "contention", "overlap"});
  const auto percent = [](double share) { return fmt::format("{:+.1f}", 100 * share); };
  std::vector<double> errors;
  for (const LabRun& run : lab.runs) {
    errors.push_back(std::abs(run.error()));
    out += markdown_row({std::to_string(run.hosts), run.rate, run.step, to_text(run.predicted), to_text(run.measured),
                         percent(run.error()) + " %", percent(run.kernel), percent(run.collective),
                         percent(run.contention), percent(run.overlap)});
  }
  std::sort(errors.begin(), errors.end());
  return out +
         fmt::format(
             "\nMedian error {:.1f} %, worst {:.1f} % of {} runs; rank correlation (Spearman) of predicted and "
             "measured steps {:.2f}. Parts\nin percent of the measured step; docs/replay.md says what they are.\n\n",
             100 * quantile(errors, 0.5), 100 * errors.back(), errors.size(), rank_correlation(lab.runs));
}

}  // namespace mlsim::reports
