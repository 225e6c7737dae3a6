#include "reports/validation/validation_markdown.hpp"

#include <fmt/format.h>

#include "reports/validation/value_text.hpp"

namespace mlsim::reports {
namespace {

constexpr std::string_view kPreface =
    "# Against published runs, in the table\n\n"
    "What `mlsim validate published --format markdown` writes. Each row of `validation/published/*.csv` is predicted "
    "and\n"
    "compared. An *anchor* (one accelerator, or the smallest system of a family) sets the speed of its machine, "
    "precision\n"
    "and software; a second one, of the same software on several accelerators, sets what they cost one another. Every\n"
    "other row is predicted from them and from the network, and counted. Anchors are never counted,\n"
    "nor are *inputs*, figures from which a constant was derived. `docs/board.csv` has every row.\n\n"
    "* error: predicted/published - 1; the columns median, P90 and max are of its size, bias is its signed mean.\n"
    "* held: share of the 90 % intervals that hold the published value.\n"
    "* linear: the same errors of a baseline that keeps the anchor's rate per accelerator, on the rows that have an\n"
    "  anchor. Where the model does not beat it, the model is not validated.\n"
    "* Time to accuracy: the epochs of the MLPerf rows are also points of the convergence tables, and the pauses of\n"
    "  evaluations were fitted on the rows of their rounds, so these rows check throughput with the clock, not the\n"
    "  prediction of epochs; that is checked by leaving points out (`mlsim validate convergence`).\n\n";

std::string groups_table(const ValidationReport& report) {
  std::string out =
      "## Groups\n\n| group | metric | rows | refused | median | P90 | max | bias | held | linear median | linear P90 "
      "| bound |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const GroupScore& g : report.groups) {
    const auto percent = [](double share) { return share_text(share); };
    const bool any = g.error.count > 0;
    const bool linear = g.linear().count > 0;
    const auto bound = report.bounds.of(g.source, g.metric);
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", g.source, name(g.metric),
                       g.error.count, g.refused, any ? percent(g.error.median) : "-", any ? percent(g.error.p90) : "-",
                       any ? percent(g.error.max) : "-", any ? signed_share_text(g.error.bias) : "-",
                       g.intervals > 0 ? percent(g.coverage) : "-", linear ? percent(g.linear().median) : "-",
                       linear ? percent(g.linear().p90) : "-",
                       bound ? fmt::format("{} / {}", percent(bound->median), percent(bound->p90)) : "-");
  }
  return out + "\n";
}

std::string trust_table(const ValidationReport& report) {
  std::string out =
      "## Words of trust\n\nThe throughput checks by the word that the answer gives of itself, their software being "
      "named.\n\n| trust | rows | median | P90 | max |\n|---|---|---|---|---|\n";
  for (const TrustScore& score : trust_scores(report.cases)) {
    const ErrorSummary& error = score.error;
    if (error.count == 0) {
      out += fmt::format("| {} | 0 | - | - | - |\n", name(score.level));
      continue;
    }
    out += fmt::format("| {} | {} | {} | {} | {} |\n", name(score.level), error.count, share_text(error.median),
                       share_text(error.p90), share_text(error.max));
  }
  return out;
}

}  // namespace

std::string validation_markdown(const ValidationReport& report) {
  return std::string(kPreface) + groups_table(report) + trust_table(report);
}

}  // namespace mlsim::reports
