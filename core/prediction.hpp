// The answer, with interval, breakdown and provenance, as a value that reads and writes JSON.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/anchor.hpp"
#include "core/provenance.hpp"
#include "core/units.hpp"

namespace mlsim {

using Interval = std::array<double, 2>;  // 5th and 95th percentile

struct StepBreakdown {
  Seconds time;  // read off the timeline
  Seconds compute, communication, exposed_communication, optimizer, input_wait, straggler_wait, bubble;
  Seconds overhead;  // host and framework
};

/// One figure that the answer rests on.
struct ProvenanceEntry {
  std::string figure;  // "kernel speed"
  std::string value;   // "anchored efficiency curve, x1.04"
  Source source;
  bool operator==(const ProvenanceEntry&) const = default;
};

struct Prediction {
  struct Inputs {
    std::string topology, workload, accelerator, parallelism, precision, fidelity, recipe, collective;
    int accelerators = 1;
    double global_batch = 1, batch_per_accelerator = 1;
    std::uint64_t seed = 0;
    Settings settings;
    std::string target;  // "75.9 % top-1"; empty where the workload has none
  } inputs;
  StepBreakdown step;
  PerSecond throughput;
  double speedup = 1, scaling_efficiency = 1;  // against one accelerator at the same batch per accelerator
  std::optional<double> mfu;
  struct Memory {
    Bytes per_accelerator;
    bool fits = true;
    int largest_batch_per_accelerator = 0;
  } memory;
  struct Job {
    double samples_to_target = 0, epochs_to_target = 0, steps = 0;
    Seconds init, train, evaluation, checkpoint, restart;
  };
  std::optional<Job> job;  // empty where the workload has no target or no data for it
  std::optional<Seconds> time_to_accuracy;
  std::optional<Usd> cost;  // empty where the system has no price
  struct Intervals {
    Interval step_time{};
    std::optional<Interval> time_to_accuracy, cost;
  } interval;
  std::string distance;  // "anchored: 8 doublings of accelerators, 4 halvings of batch"
  struct Simulation {
    std::string fidelity, engine;
    int ranks = 1;
    std::uint64_t classes = 0, flows = 0, events = 0;
    double wall_s = 0;
  } simulation;
  std::vector<ProvenanceEntry> provenance;
  std::vector<std::string> warnings;
};

/// JSON of design 6, SI units in the keys; the schema is core/prediction.schema.json.
std::string to_json(const Prediction& prediction);
Prediction prediction_from_json(const std::string& text, const std::string& file);

}  // namespace mlsim
