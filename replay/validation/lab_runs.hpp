// A `LabRun` is a step of mlsim replay on a lab of several hosts, predicted from what was measured on that lab before.
#pragma once

#include <string>
#include <vector>

#include "core/units.hpp"
#include "replay/namespace.hpp"

namespace mlsim::replay {

/// A `LabRun` is a row of validation/published/replays/lab.csv, as tests/lab/replay_table.sh prints it. Parts are
/// shares of the measured step and add up to the error.
struct LabRun {
  int hosts = 0;
  std::string rate, step;  // "100mbit", "ResNet-20 all-reduce"
  Seconds predicted, measured;
  double kernel = 0, collective = 0, contention = 0, overlap = 0;
  double error() const { return predicted / measured - 1; }
};

struct LabRuns {
  std::string measured_on;  // machine, date and versions: the comment lines above the header
  std::vector<LabRun> runs;
};

const LabRuns& lab_runs();

/// Computes Spearman's correlation of the ranks of predicted and measured steps. Throws std::logic_error for fewer than
/// two runs.
double rank_correlation(const std::vector<LabRun>& runs);

}  // namespace mlsim::replay
