// A RankTrace is one rank's recorded steps: the accelerator's work, when the host asked for it, and in which step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/profile/collective.hpp"
#include "core/units.hpp"

namespace mlsim::replay {

enum class RecordedKind { compute, copy, fill, collective };
inline Words<RecordedKind> words(RecordedKind) { return {"kind of span", {"compute", "copy", "fill", "collective"}}; }

/// A RecordedCollective is what a collective is, as far as the file says it.
struct RecordedCollective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::optional<Bytes> payload;  // larger of its two buffers; empty where the file does not say
  int group_size = 0;            // 0: the file does not say
  std::string group;             // the process group's name; may be empty
  bool operator==(const RecordedCollective&) const = default;
};

/// Times count from the file's first event.
struct RecordedSpan {
  RecordedKind kind = RecordedKind::compute;
  std::int64_t stream = 0;
  std::size_t name = 0;  // index into RankTrace::names
  Seconds begin, duration;
  std::optional<Seconds> launch;  // when the host asked for it; empty in graphs and where the file lacks it
  Seconds call;                   // what asking took of the host
  std::size_t step = 0;           // index into RankTrace::steps
  std::optional<RecordedCollective> collective = {};

  Seconds end() const { return begin + duration; }
};

/// A step takes from the end of the work that the step before launched to the end of its own, as the host may run ahead
/// of the accelerator. The first takes from its begin, or from the end of what the accelerator was at before, and where
/// the host is behind to the next one's begin. One without work takes its window.
struct RecordedStep {
  std::int64_t number = 0;
  Seconds begin, window;  // of the host: until the next one's begin, the last until its own end
  Seconds time;
};

struct RankTrace {
  std::string file;
  std::optional<int> rank, world_size;
  std::string device;               // may be empty
  std::vector<RecordedStep> steps;  // at least one
  std::vector<RecordedSpan> spans;  // by begin; those that no step asked for are left out
  std::vector<std::string> names;
  std::vector<std::string> warnings;
};

/// Returns the rank that a file's name says, "worker3_...", "rank-3.pt.trace.json"; nothing where it says none.
std::optional<int> rank_of_name(const std::string& path);

/// Reads one rank's file; the rank is the file's own word, else its name's ("worker3_", "rank-3."). A file without
/// steps is one step. Throws InputError for one that cannot be read, has nothing of an accelerator, or whose clock goes
/// backwards.
RankTrace load_rank_trace(const std::string& path);

/// Reads the ranks of a run, by rank: all of them, or a few, of which each then has a warning. Throws InputError where
/// a rank stands twice, is not known, or is of a job of another size.
std::vector<RankTrace> load_traces(const std::vector<std::string>& paths);

}  // namespace mlsim::replay
