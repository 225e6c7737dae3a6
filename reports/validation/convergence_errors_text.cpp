#include "reports/validation/convergence_errors_text.hpp"

#include <fmt/format.h>

namespace mlsim::reports {
namespace {

std::string cell(const LeftOutErrors& left) {
  if (left.error.count == 0) return "-";
  return fmt::format("{:.1f} / {:.1f} / {:.0f} ({:.0f})", 100 * left.error.median, 100 * left.error.p90,
                     100 * left.error.max, 100 * left.coverage);
}

std::string row(const BenchmarkErrors& errors) {
  std::string text = fmt::format("{:<12} {:>7}", errors.benchmark, errors.results);
  for (const LeaveOut how : kLeaveOuts) text += fmt::format("  {:>24}", cell(errors.by(how)));
  return text + "\n";
}

}  // namespace

std::string convergence_errors_text(const ConvergenceErrors& errors) {
  std::string text =
      "Epochs to target of published results, each left out and predicted from the rest of its recipe.\n"
      "Errors in %: median / P90 / largest (share of 90 % intervals that held the published mean).\n\n";
  text += fmt::format("{:<12} {:>7}  {:>24}  {:>24}  {:>24}\n", "benchmark", "results", "row left out",
                      "batch left out", "submitter left out");
  for (const BenchmarkErrors& b : errors.benchmarks) text += row(b);
  text += row(errors.all);
  const auto unanswered = [&](LeaveOut how) { return errors.all.by(how).unanswered; };
  text +=
      fmt::format("\nWithout a prediction, as nothing near enough was left: {} by row, {} by batch, {} by submitter.\n",
                  unanswered(LeaveOut::row), unanswered(LeaveOut::batch), unanswered(LeaveOut::submitter));
  for (const std::string& miss : misses(errors)) text += "missed: " + miss + "\n";
  return text;
}

}  // namespace mlsim::reports
