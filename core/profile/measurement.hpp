// A MeasureOrder asks a measuring program for a measurement, and a MeasureReply answers it: one line of JSON each.
//
// `mlsim calibrate` plans and fits; mlsim-cpu, mlsim-cuda and mlsim-mpi measure. They talk over stdin and stdout.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/text/words.hpp"
#include "core/units.hpp"

namespace mlsim {

/// Caches hold a kernel's operands before it runs (hot), or something else (cold), or all of them but the batch that it
/// is the first to read (fresh).
enum class Cache { cold, hot, fresh };

inline Words<Cache> words(Cache) { return {"state of the caches", {"cold", "hot", "fresh"}}; }

/// Says what the kernels of a step that moves `moved` in all find in a last level of cache of `last_level`: a step that
/// moves more leaves nothing of what it reads again, a smaller one nearly everything. An unknown level, 0, is cold.
Cache step_cache(Bytes moved, Bytes last_level);

/// `SampleStatistics` describe the samples of one measurement: quartiles are interpolated, and outliers count.
struct SampleStatistics {
  Seconds median, lower_quartile, upper_quartile;
  int count = 0;
  int outliers = 0;  // beyond three interquartile ranges outside the quartiles (Tukey's outer fences)
  bool operator==(const SampleStatistics&) const = default;
};

/// A `StoppingRule` says when enough has been measured: the noise (interquartile range over median) is small, or it no
/// longer changes, or the time is up; never before `min_samples`.
struct StoppingRule {
  double noise = 0.02;
  int min_samples = 10, max_samples = 1000;
  Seconds time_limit{1};
  bool operator==(const StoppingRule&) const = default;
};

/// `subject` says what to time:
///   "kernel KEY"      one kernel of a step graph, KEY as core/kernel/kernel_key.hpp writes it
///   "probe NAME"      as ProbeSample::name (core/profile/profile.hpp)
///   "collective KIND LIBRARY DEVICE PRECISION BYTES"   "collective all-reduce mpi cpu fp32 1048576", BYTES a payload
///                     as nccl-tests counts it
///   "point-to-point LIBRARY DEVICE PRECISION BYTES"    half of a round trip between rank 0 and the last rank
struct MeasureOrder {
  std::string subject;
  int threads = 0;  // threads of a processor; 0: all of them
  Cache cache = Cache::cold;
  StoppingRule rule;
  bool operator==(const MeasureOrder&) const = default;
};

/// `StoppedBy` says how a measurement ended.
enum class StoppedBy { noise, stable_noise, max_samples, time_limit };

inline Words<StoppedBy> words(StoppedBy) { return {"reason", {"noise", "stable_noise", "max_samples", "time_limit"}}; }

/// Tells whether a library's implementation of this name is its reference, there to be right and not fast: oneDNN's
/// "ref:any", "bnorm_ref:any". It is tens of times slower than the others, and obeys no law of theirs.
bool is_reference(const std::optional<std::string>& implementation);

struct MeasureReply {
  std::string subject;
  int threads = 0;
  Cache cache = Cache::cold;
  SampleStatistics time;
  Bytes bytes;
  Flop flop;
  StoppedBy stopped_by = StoppedBy::noise;
  double largest_error = 0;        // result against a reference in float64, relative to the largest element
  std::string clock;               // clock of the device meanwhile, "1.41 GHz; not throttled"; may be empty
  std::vector<std::string> hosts;  // hosts of a collective, by rank
  std::string unavailable;         // why it could not be measured; all else is empty then
  std::optional<std::string> implementation = {};  // what a library calls that which ran: "jit:avx2"
  bool operator==(const MeasureReply&) const = default;
};

/// These write and read one line without its end; reading throws InputError with `place`.
std::string to_line(const MeasureOrder& order);
std::string to_line(const MeasureReply& reply);
MeasureOrder order_from_line(const std::string& line, const std::string& place);
MeasureReply reply_from_line(const std::string& line, const std::string& place);

}  // namespace mlsim
