// A job draws energy from the grid; this header also says where the figures of a job come from.
#pragma once

#include <optional>
#include <vector>

#include "core/result/prediction.hpp"
#include "core/units.hpp"
#include "sim/job/job_clock.hpp"
#include "sim/namespace.hpp"
#include "sim/options/options.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// An `EnergyAnswer` is empty where the rated power of the accelerator is not known.
struct EnergyAnswer {
  std::optional<Prediction::Energy> energy;
  Notes notes;
};

/// Power is that of all accelerators: their rated power x load. The energy of a job is power x PUE x the time that its
/// machines are held for (`held`; empty where the job has no end). Hosts, switches and cooling beside the PUE are not
/// counted, and neither is what making the machines emitted.
EnergyAnswer energy_answer(const EnergyOptions& options, const Cluster& cluster, std::optional<Seconds> held);

/// The entries cover epochs, pauses, initialisation, clock, checkpoints, failures, preemptions and billing of `job`,
/// which job_clock made from `inputs`, for Prediction::provenance.
std::vector<ProvenanceEntry> job_provenance(const JobClockInputs& inputs, const Prediction::Job& job);

}  // namespace mlsim::sim
