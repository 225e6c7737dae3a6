// A `CollectiveAnswer` is about one collective by itself between all ranks of a system, as nccl-tests and MLBench's
// task 0 time it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile/collective.hpp"
#include "core/result/prediction.hpp"
#include "core/units.hpp"
#include "sim/engine/fidelity.hpp"
#include "sim/mesh/simulate_collective.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/request.hpp"

namespace mlsim::sim {

struct CollectiveQuestion {
  std::string topology;
  int accelerators = 0;  // 0: all that the topology names
  CollectiveKind kind = CollectiveKind::all_reduce;
  Bytes payload;     // of a rank, as nccl-tests counts it
  Bytes element{4};  // of one number
  Fidelity fidelity = Fidelity::folded;
  Options options;                       // communicator, algorithm and engine count here
  bool one_of_many = false;              // PredictRequest::one_of_many
  SharedList<Profile> profiles;          // nearest first
  SharedList<Profile> builtin_profiles;  // behind them
};

struct CollectiveAnswer {
  Seconds time, latency;                // the latter is what one byte would take
  std::optional<Interval> interval;     // of the time, 90 %; empty where it is simulated
  BytesPerSecond bus_bandwidth;         // as nccl-tests counts it
  std::string algorithm, communicator;  // of one known as a whole, "measured (mpi, 2 x 1 ranks, 2026-11-21)"
  std::optional<double> messages;       // of a rank, one after the other; empty where one is known as a whole
  std::vector<ProvenanceEntry> provenance;
  Trust trust;
  CollectiveTime run;  // its counts are those of the simulation, 0 where one is known as a whole
};

/// Throws InputError and Infeasible as predict() does, and InputError for an option that changes nothing here.
CollectiveAnswer answer_collective(const CollectiveQuestion& question);

/// Answers a request whose workload is the name of a collective (core/profile/collective_name.hpp): the step of the
/// answer is the collective. Throws as answer_collective() does, and InputError for what one collective does not have.
Prediction predict_collective(const PredictRequest& request);

}  // namespace mlsim::sim
