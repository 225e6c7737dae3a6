// A Prediction is the answer, with interval, breakdown and provenance, as a value that reads and writes JSON.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/kernel/precision.hpp"
#include "core/profile/anchor.hpp"
#include "core/profile/collective.hpp"
#include "core/profile/provenance.hpp"
#include "core/result/asked_words.hpp"
#include "core/result/layout_choice.hpp"
#include "core/result/next_measurement.hpp"
#include "core/result/trust.hpp"
#include "core/text/statement.hpp"
#include "core/units.hpp"

namespace mlsim {

using Interval = std::array<double, 2>;  // 5th and 95th percentile

struct StepBreakdown {
  Seconds time;  // read off the timeline
  Seconds compute, communication, exposed_communication, optimizer, input_wait, straggler_wait, bubble;
  Seconds overhead;    // host and framework
  Seconds all_to_all;  // the part of the communication that all-to-alls take
  // The host takes so long to launch the kernels of the passes, under which a GPU works; timers that do not wait for
  // the GPU count it as compute. It is empty where no host launches them one by one.
  std::optional<Seconds> launch = {};
};

/// A distribution is drawn from steps of ranks that differ from each other and from step to step.
struct StepDistribution {
  int steps = 0;  // drawn
  Seconds mean, median, p95, p99;
  Seconds even;      // step of ranks that do not differ but for known slow ones
  Seconds absorbed;  // by which the collectives end earlier, in the mean, than if all had waited for the last rank
};

/// A PriceIndex holds a job on many accelerators against the same on one of them.
struct PriceIndex {
  double price_increase = 1;                                              // times as much money
  double performance_increase = 1;                                        // times as fast
  double value() const { return price_increase / performance_increase; }  // below 1: worth the higher price
};

/// An entry is one figure that the answer rests on.
struct ProvenanceEntry {
  std::string figure;  // "kernel speed"
  Statement value;     // "efficiency curve x1.04, so that ..."
  Source source;
  bool operator==(const ProvenanceEntry&) const = default;
};

/// Notes say what a part of an answer rests on, and what to beware of.
struct Notes {
  std::vector<ProvenanceEntry> provenance;
  std::vector<std::string> warnings;
};

/// A published run stands beside what mlsim says of it without having seen it.
struct PublishedRun {
  std::string id, topology, workload, precision;
  int accelerators = 1;
  double global_batch = 0;           // 0: not stated
  std::string metric;                // "time_to_accuracy", as tables of cases name it
  double published = 0;              // SI units of the metric
  std::optional<double> predicted;   // without the run among the anchors; empty where that is refused
  std::string source;                // "MLPerf TPU: github.com/..."
  std::vector<std::string> differs;  // in what it is not the run asked for: "accelerators"; empty: in nothing
  double error() const { return *predicted / published - 1; }
  bool operator==(const PublishedRun&) const = default;
};

struct Prediction {
  struct Inputs {
    std::string topology, workload, accelerator, parallelism;
    Precision precision = Precision::fp32;
    Fidelity fidelity = Fidelity::folded;
    std::string recipe;
    int accelerators = 1;
    double global_batch = 1, batch_per_accelerator = 1;
    std::uint64_t seed = 0;
    Settings settings;
    std::string target;                // "75.9 % top-1"; empty where the workload has none
    std::string sample;                // what one sample is: "image"; may be empty
    std::vector<Statement> exchanges;  // each way in which some run: "all-reduce by ring"
    Statement chosen{};                // what the question left open and how it was filled in; may be empty
    std::string stack{}, optimizer{};  // as asked or chosen
    std::string dataset{};             // may be empty
    std::optional<int> sequence{};     // tokens of a sample; empty where the model has no sequences of a set length
    std::optional<PriceKind> price_kind{};     // of the price that counts; empty where there is none
    std::string price_region{}, price_date{};  // likewise
  } inputs;
  StepBreakdown step;
  std::optional<StepDistribution> step_distribution;  // empty where nothing is drawn; step.time is its mean
  PerSecond throughput;
  double speedup = 1, scaling_efficiency = 1;  // against one accelerator at the same batch per accelerator
  std::optional<double> mfu;
  /// What the runs of language models are told in.
  struct Language {
    PerSecond tokens, tokens_per_accelerator;
    FlopPerSecond model_rate;  // of one accelerator: the FLOP of the passes, none twice, attention over all pairs
  };
  std::optional<Language> language;  // empty where samples have no tokens to predict
  /// Goodput is the share of a long job's time that failures leave.
  struct Goodput {
    double share = 1;          // in which it gets on
    Seconds between_failures;  // mean, of the whole allocation
    Seconds interval;          // work between two checkpoints
    Seconds checkpoint;        // in which one is written
  };
  std::optional<Goodput> goodput;  // of language models that write checkpoints; empty for others
  struct MemoryParts {
    Bytes weights, gradients, optimizer_state, activations;
    Bytes workspace;  // runtime, scratch and fragmentation
    Bytes buffers;    // buffers of the exchange of gradients
  };
  struct Memory {
    Bytes per_accelerator;  // the sum of the parts
    bool fits = true;
    double largest_batch_per_accelerator = 0;  // below 1 where accelerators share samples
    Bytes capacity;
    MemoryParts parts;
  } memory;
  struct Input {
    PerSecond rate;       // rate at which the input pipeline can deliver, over the whole system
    std::string slowest;  // stage that sets it: "storage", "decode on the host", "host to accelerator"
    bool limits = false;  // the step waits for it
  };
  /// One collective by itself, where that was asked for: the step is the collective alone.
  struct Collective {
    CollectiveKind kind = CollectiveKind::all_reduce;
    Bytes payload;                                      // of a rank, as nccl-tests counts it
    std::string backend, algorithm;                     // the library may be empty: none in particular
    std::optional<double> messages;                     // of a rank, one after the other; empty where none are known
    BytesPerSecond algorithm_bandwidth, bus_bandwidth;  // payload over time; the same as nccl-tests counts links
    Seconds latency;                                    // what one byte would take
    Seconds transfer;                                   // the rest of the time, which goes with the bytes
  };
  std::optional<Collective> collective;
  std::optional<Input> input;  // empty for synthetic data and where nothing is known of the input
  struct Job {
    double samples_to_target = 0, epochs_to_target = 0, steps = 0;
    double evaluations = 0, checkpoints = 0, failures = 0, preemptions = 0;  // the last two are means
    ClockRule clock = ClockRule::mlperf;
    Seconds init;     // before the first touch of the data
    Seconds startup;  // from there (or, in MLPerf v0.5, from the start) to steady training
    Seconds self_play, train, evaluation, checkpoint;
    Seconds overrun;              // beyond what the steps take: other software, interruptions, restarts
    Seconds restart, preemption;  // work done again and restarts, after failures and after preemptions
    Seconds teardown;             // after the clock
    Seconds billed;
    Seconds billed_without_init;  // what would be paid for if initialisation cost nothing
    Seconds checkpoint_interval;  // work between two checkpoints; 0 without checkpoints
  };
  std::optional<Job> job;  // empty where the workload has no target or no data for it
  std::optional<Seconds> time_to_target;
  std::optional<UsdPerSecond> price;      // price of the whole system; empty where none is known
  std::optional<PriceIndex> price_index;  // empty on one accelerator and where a price or a target is not known
  std::optional<Usd> cost;                // with initialisation; empty where the system has no price
  std::optional<Usd> cost_without_init;   // as those count who pay for the time on the clock; likewise
  /// The accelerators at their rated power while they are held, and what a grid emits for it at the building's meter.
  struct Energy {
    double power_w = 0;               // W, of all accelerators, without the building
    double pue = 1;                   // power at the meter over that of the accelerators
    double carbon_intensity = 0;      // kg of CO2 equivalent for a kWh
    std::optional<double> job_j;      // J, at the meter; empty where the job has no end
    std::optional<double> carbon_kg;  // kg of CO2 equivalent of the job; likewise
  };
  std::optional<Energy> energy;  // empty where the accelerator's rated power is not known
  /// A system that is bought, against one that is rented.
  struct Purchase {
    Usd price;              // of the whole system
    Seconds life;           // over which it is paid for
    UsdPerSecond rent;      // what the same system is rented for
    double break_even = 0;  // share of its life in use above which it is cheaper than rent; above 1: never
  };
  std::optional<Purchase> purchase;  // empty where the price is no purchase, or no rent is known
  /// A step that the user timed, against the range of the answer.
  struct MeasuredStep {
    Seconds time;
    double percentile = 0;            // share of the steps expected here that are shorter
    std::vector<Statement> remedies;  // what would bring it down, the most first
  };
  std::optional<MeasuredStep> measured;  // empty where none was given
  struct Intervals {
    Interval step_time{};
    std::optional<Interval> time_to_target, cost;
    std::optional<Interval> samples_to_target;  // run to run alone, on the evaluations of the job
    std::optional<Interval> cost_without_init{};
  } interval;
  Trust trust;
  std::optional<PublishedRun> nearest_published;  // empty where none is comparable, or nobody looked
  Statement distance;  // from what is on record: "anchored on ID: +8.0 doublings of accelerators, ..."
  struct Simulation {
    Fidelity fidelity = Fidelity::folded;
    std::string engine;
    int ranks = 1;
    std::uint64_t classes = 0, flows = 0, events = 0;
    std::optional<double> wall_s;  // that the answer took; empty where it is not timed
  } simulation;
  std::vector<ProvenanceEntry> provenance;
  std::vector<LayoutChoice> layouts;          // the quickest first; empty where the layout was not searched
  std::vector<NextMeasurement> measure_next;  // the most useful first; only for those who measure
  std::vector<std::string> warnings;
};

/// Lists the keys of the JSON, which has SI units in them; its schema is core/result/prediction.schema.json.
template <class Io>
void describe(Io& io, Prediction& prediction);
std::string to_json(const Prediction& prediction);
Prediction prediction_from_json(const std::string& text, const std::string& file);

}  // namespace mlsim
