#include "reports/answers/answer_texts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/figure_text.hpp"

namespace mlsim::reports {
namespace {

bool run_differs(const PublishedRun& run, const char* what) {
  return std::find(run.differs.begin(), run.differs.end(), what) != run.differs.end();
}

std::string figure_text_of(const PublishedRun& run, double value) {
  return run.metric == "throughput" ? rate_text(PerSecond(value)) : figure_text(Seconds(value));
}

// Writes "this system" or "16 in dgx-a100".
std::string run_system_text(const PublishedRun& run) {
  const bool same =
      !run_differs(run, "machine") && !run_differs(run, "accelerator") && !run_differs(run, "accelerators");
  return same ? "this system"
              : fmt::format("{} in {}", figure_text(static_cast<double>(run.accelerators)),
                            run.topology.substr(0, run.topology.find(':')));
}

}  // namespace

std::string published_figure_text(const PublishedRun& run) { return figure_text_of(run, run.published); }

std::string published_run_text(const PublishedRun& run) {
  std::string text = run.source.substr(0, run.source.find(':')) + ", " + run_system_text(run);
  if (run.metric == "step_time") text += ", a step";
  if (run_differs(run, "workload")) text += ", " + run.workload;
  if (run_differs(run, "precision")) text += ", " + run.precision;
  if (run_differs(run, "batch")) text += ", batch " + figure_text(run.global_batch);
  if (run_differs(run, "stack")) text += ", other software";
  if (!run.predicted) return text + ": we cannot say";
  if (run.differs.empty()) return text + fmt::format(": we say {:+.0f} %", 100 * run.error());
  return text + fmt::format(": asked so (--like {}) we say {}, {:+.0f} %", run.id, figure_text_of(run, *run.predicted),
                            100 * run.error());
}

}  // namespace mlsim::reports
