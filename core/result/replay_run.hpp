// A ReplayRun is a step that ranks really ran many times: what was asked, on what, and when each node of its graph ran.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/profile/measurement.hpp"
#include "core/text/words.hpp"
#include "core/units.hpp"

namespace mlsim {

/// ReplayUpdate says who updates which weights: every rank all of them behind an all-reduce; each rank a part, behind a
/// reduce-scatter and before an all-gather; or servers, one on every rank with an equal part of each tensor, which
/// ranks pull from and push to.
enum class ReplayUpdate { replicated, sharded, servers };
inline Words<ReplayUpdate> words(ReplayUpdate) { return {"update", {"replicated", "sharded", "servers"}}; }

/// ReplayNumbers says which numbers kernels read: those that the kernels before them made, so that the network learns;
/// or each kernel's own operands, on which it takes as long and learns nothing.
enum class ReplayNumbers { learnt, own_operands };
inline Words<ReplayNumbers> words(ReplayNumbers) { return {"numbers", {"learnt", "own_operands"}}; }

/// A ReplayOrder says which step runs, and how often. Ranks share out the batch, or with several stages the layers.
struct ReplayOrder {
  std::string workload;
  double batch = 1;                   // samples of one rank; of a pipeline, of all its stages together
  int stages = 1, micro_batches = 1;  // stages: 1, or one a rank
  ReplayUpdate update = ReplayUpdate::replicated;
  std::string optimizer = "momentum";
  Bytes bucket = mebibytes(25), first_bucket = mebibytes(1);
  bool overlap = true;           // buckets are exchanged while the backward pass goes on
  std::string backend = "gloo";  // or "mpi"
  int steps = 20, warm_up = 3;
  int threads = 1;  // of a rank's kernels
  bool operator==(const ReplayOrder&) const = default;
};

/// A ReplayNode is a node of the step graph with its times: medians over steps, of kernels over ranks too; those in the
/// step are scaled to add up to the median of their sums. An exchange takes from the moment at which its last rank
/// begins until its last rank has all.
struct ReplayNode {
  int vertex = 0;
  std::string name, stream, part;  // as the step graph has them
  int stage = 0;
  bool exchange = false;
  Bytes payload;    // of an exchange
  Seconds alone;    // kernels while nothing is exchanged, exchanges while nothing is computed
  Seconds in_step;  // in the step itself
};

/// A span is one run of a node on one rank, on rank 0's clock, since the beginning of the step.
struct ReplaySpan {
  int vertex = 0;
  Seconds begin, end;
};

struct ReplayRankSteps {
  std::vector<std::vector<ReplaySpan>> steps;
};

/// A ReplayClock says how a rank's clock stood to rank 0's, by round trips before and after the steps.
struct ReplayClock {
  Seconds lead;      // before
  double drift = 0;  // seconds that the lead grew by in one second
  Seconds error;     // at most: half of the quickest round trip
};

struct ReplayRun {
  ReplayOrder order;
  std::string time;                                // when it began, UTC: "2026-11-23T07:00:00Z"
  std::map<std::string, std::string> environment;  // of rank 0's host; versions of the libraries
  std::vector<std::string> hosts;                  // by rank
  ReplayNumbers numbers = ReplayNumbers::own_operands;
  double weights_error =
      0;  // learnt: largest difference from one rank's step on the joined batch, over the largest weight
  std::vector<Seconds> step_times;  // from the first rank's begin to the last rank's end
  SampleStatistics step_time;
  std::vector<ReplayNode> nodes;
  std::vector<ReplayClock> clocks;     // by rank
  std::vector<ReplayRankSteps> ranks;  // by rank
};

/// An order is one line for the program that runs it. replay_order_from_line throws InputError with `place`.
std::string to_line(const ReplayOrder& order);
ReplayOrder replay_order_from_line(const std::string& line, const std::string& place);

/// to_json writes a run file, and to_line the same on one line.
std::string to_json(const ReplayRun& run);
std::string to_line(const ReplayRun& run);
/// Throws InputError with `file` and the key or line at fault, also where parts do not belong together.
ReplayRun replay_run_from_json(const std::string& text, const std::string& file);

}  // namespace mlsim
