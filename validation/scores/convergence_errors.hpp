// `ConvergenceErrors` are those of the convergence tables on results that they do not hold: every published result is
// left out and predicted from the rest of its recipe, in three ways.
//
// With `row` only that result goes; with `batch` also every result and reference point within 3 % of its batch; with
// `submitter` all results of its submitter. The first asks how far one more result moves the answer, the second how
// good the interpolation is, the third how much rests on one code.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/text/words.hpp"
#include "validation/namespace.hpp"
#include "validation/scores/score.hpp"
#include "workloads/convergence/convergence.hpp"

namespace mlsim::validation {

enum class LeaveOut { row, batch, submitter };
constexpr std::array<LeaveOut, 3> kLeaveOuts{LeaveOut::row, LeaveOut::batch, LeaveOut::submitter};
inline Words<LeaveOut> words(LeaveOut) { return {"part to leave out", {"row", "batch", "submitter"}}; }

/// These are errors of predicted against published epochs.
struct LeftOutErrors {
  ErrorSummary error;
  double coverage = 0;  // share of 90 % intervals that held the published mean
  int unanswered = 0;   // results without a prediction: nothing was left, or nothing near enough
};

struct BenchmarkErrors {
  std::string benchmark;
  int results = 0;
  std::array<LeftOutErrors, 3> left_out;  // in the order of kLeaveOuts

  const LeftOutErrors& by(LeaveOut how) const { return left_out[static_cast<std::size_t>(how)]; }
};

struct ConvergenceErrors {
  std::vector<BenchmarkErrors> benchmarks;
  BenchmarkErrors all;
};

/// Results are the points of recipes with published points of their own; reference points, fixed schedules and what is
/// assumed or derived are not scored. Tables without results are left out.
ConvergenceErrors convergence_errors(const std::vector<ConvergenceTable>& tables);
/// Takes all built-in tables.
ConvergenceErrors convergence_errors();

/// Says what misses the bounds on the medians over all benchmarks, one sentence each; nothing where all pass.
std::vector<std::string> misses(const ConvergenceErrors& errors);

/// The schema is validation/scores/convergence_errors.schema.json.
std::string to_json(const ConvergenceErrors& errors);

/// These bounds say how far the convergence tables may be off results that they do not hold.
struct MedianBound {
  LeaveOut how;
  double median;  // median of the absolute relative errors over all benchmarks
};

// The rule gave 1.7 and 3.1 % on MLPerf v0.5-v1.0 when it was chosen; a third more is the margin for rows added later.
constexpr std::array<MedianBound, 2> kConvergenceBounds{{{LeaveOut::row, 0.025}, {LeaveOut::batch, 0.04}}};

}  // namespace mlsim::validation
