#include "reports/validation/transfer_errors_text.hpp"

#include <fmt/format.h>

namespace mlsim::reports {
namespace {

std::string line(const TransferScore& score) {
  if (score.error.count == 0) return score.name + ": no runs\n";
  return fmt::format("{}: {} runs, median {:.1f} %, P90 {:.1f} %, largest {:.1f} %, bias {:+.1f} %; one sigma {:.2f}\n",
                     score.name, score.error.count, 100 * score.error.median, 100 * score.error.p90,
                     100 * score.error.max, 100 * score.error.bias, score.log_rms);
}

}  // namespace

std::string transfer_errors_text(const TransferErrors& errors) {
  std::string text = "Throughput of one accelerator from kernels measured on another, against what was published.\n\n";
  text +=
      fmt::format("{:<15} {:<15} {:<46} {:>10} {:>10} {:>7}\n", "from", "to", "run", "published", "predicted", "error");
  for (const TransferCheck& c : errors.checks)
    text += fmt::format("{:<15} {:<15} {:<46} {:>10.4g} {:>10.4g} {:>+6.1f}%\n", c.from, c.to, c.target_id, c.published,
                        c.predicted, 100 * c.error());
  text += "\n";
  for (const TransferScore& pair : errors.pairs) text += line(pair);
  text += line(errors.all);
  for (const std::string& miss : misses(errors)) text += "missed: " + miss + "\n";
  return text;
}

}  // namespace mlsim::reports
