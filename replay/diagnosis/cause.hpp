// A CauseKind is what mlsim diagnose finds: causes of a slow step, ranked by likelihood.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/text/words.hpp"
#include "core/units.hpp"
#include "replay/namespace.hpp"

namespace mlsim::replay {

/// The kinds mean:
///  slow_rank     one rank computes slower than the others
///  slow_host     all ranks of a host do
///  slow_link     what one link, rank or host sends and receives takes longer
///  uneven_stage  one stage of the pipeline has more to compute, in all data ranks
///  uneven_micro_batches  passes of one worker differ among the micro-batches of a step, as with texts of many lengths
///  late_input    a rank, a host or all wait for their input, or some of a rank's steps take much longer
enum class CauseKind : std::uint8_t { slow_rank, slow_host, slow_link, uneven_stage, late_input, uneven_micro_batches };
inline constexpr std::size_t kCauseKinds = 6;
inline Words<CauseKind> words(CauseKind) {
  return {"cause", {"slow rank", "slow host", "slow link", "uneven stage", "late input", "uneven micro-batches"}};
}

/// SeenIn says in which figures a cause was seen.
enum class SeenIn : std::uint8_t { compute, transfers, input, unsteady_steps, collective, micro_batches, arrivals };
inline Words<SeenIn> words(SeenIn) {
  return {"evidence", {"compute", "transfers", "input", "unsteady steps", "collective", "micro-batches", "arrivals"}};
}

struct Cause {
  CauseKind kind = CauseKind::slow_rank;
  std::string where;  // "rank 3 (host n1)", "data rank 0, stage 0"
  SeenIn seen = SeenIn::compute;
  double times_as_long = 1;  // what is seen, over what it is elsewhere
  double noise = 0;          // by which the others differ, as a share
  double likelihood = 0;     // among all causes and "nothing"
  double saving = 0;         // share of the step that would be saved without it
};

/// An Arrival says how often a rank or worker was the last where several meet.
struct Arrival {
  std::string where;  // "rank 3"
  std::size_t times = 0, meetings = 0;
  Seconds waited;  // of the first to come, in all
};

struct Diagnosis {
  std::string subject;         // "16 workers: 4 data ranks of 4 stages, 3 steps"
  std::vector<Cause> causes;   // the likeliest first; empty where the evidence is not strong
  double nothing = 1;          // likelihood that none of them is there
  std::vector<Cause> besides;  // what is seen once the likeliest is taken out
  std::string tell_apart;      // the test between the two likeliest, or of the only one; empty where nothing is found
  std::vector<Arrival> last_to_arrive;  // the longest awaited first; empty where nobody meets
  std::vector<std::string> notes;

  bool found() const { return !causes.empty(); }
};

/// The schema is replay/diagnosis/diagnosis.schema.json.
std::string to_json(const Diagnosis& diagnosis);

}  // namespace mlsim::replay
