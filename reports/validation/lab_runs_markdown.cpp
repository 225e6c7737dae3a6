#include "reports/validation/lab_runs_markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/quantile.hpp"
#include "core/units_text.hpp"

namespace mlsim::reports {

std::string lab_runs_markdown(const LabRuns& lab) {
  std::string out =
      "## Real runs of ours\n\n" + lab.measured_on + "\n\n" +
      "| hosts | link | step | predicted | measured | error | kernel | collective | contention | overlap |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n";
  std::vector<double> errors;
  for (const LabRun& run : lab.runs) {
    errors.push_back(std::abs(run.error()));
    out += fmt::format("| {} | {} | {} | {} | {} | {:+.1f} % | {:+.1f} | {:+.1f} | {:+.1f} | {:+.1f} |\n", run.hosts,
                       run.rate, run.step, to_text(run.predicted), to_text(run.measured), 100 * run.error(),
                       100 * run.kernel, 100 * run.collective, 100 * run.contention, 100 * run.overlap);
  }
  std::sort(errors.begin(), errors.end());
  return out +
         fmt::format(
             "\nMedian error {:.1f} %, worst {:.1f} % of {} runs; rank correlation (Spearman) of predicted and "
             "measured steps {:.2f}. Parts\nin percent of the measured step; docs/replay.md says what they are.\n\n",
             100 * quantile(errors, 0.5), 100 * errors.back(), errors.size(), rank_correlation(lab.runs));
}

}  // namespace mlsim::reports
