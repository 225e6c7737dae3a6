// A FlightRecord is what PyTorch's flight recorder kept of one rank: its last collectives, by group and sequence.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "replay/diagnosis/diagnosis.hpp"

namespace mlsim::replay {

struct FlightEntry {
  std::string operation;            // "nccl:all_reduce"
  Seconds created;                  // by the host's clock, when the rank asked for it
  std::optional<Seconds> duration;  // on the accelerator, with waiting; with TORCH_NCCL_ENABLE_TIMING alone
  bool completed = false;
};

struct FlightRecord {
  using Key = std::pair<std::string, std::int64_t>;  // name of the process group, sequence in it
  std::string file;
  int rank = 0;
  std::map<std::string, std::vector<int>> groups;  // ranks of each; empty where the file does not say
  std::map<Key, FlightEntry> collectives;          // messages between two ranks are left out
};

/// Reads the JSON that PyTorch's flight recorder dumps, one file a rank, whose number stands in its name; of all ranks
/// or some. Throws InputError with the file for a pickle, another format, a rank that is not told or stands twice, and
/// one file alone.
std::vector<FlightRecord> load_flight_records(const std::vector<std::string>& paths);

/// Finds ranks that come late to their collectives, and says in notes which never came to one that others wait in.
/// Arrivals are told apart by what a collective lasted on each rank, where all have that, else by the hosts' clocks.
/// Throws InputError where no two ranks have a collective in common.
Diagnosis diagnosis(const std::vector<FlightRecord>& records);

}  // namespace mlsim::replay
