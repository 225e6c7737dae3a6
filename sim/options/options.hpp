// `Options` are what the user says of a run besides model, machine and batch, as typed values with their defaults.
//
// An empty optional or text means that nothing was said and that something else chooses: the software stack, the recipe
// or the machine. A plain member holds its default. The texts that set each of them are rows of option_table()
// (sim/options/option.hpp).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/kernel/precision.hpp"
#include "core/profile/provenance.hpp"
#include "core/result/asked_words.hpp"
#include "core/units.hpp"
#include "costs/nccl_protocol.hpp"
#include "sim/engine/fidelity.hpp"
#include "sim/namespace.hpp"
#include "sim/options/launch_mode.hpp"
#include "sim/parameter_server/server_options.hpp"
#include "sim/stragglers/straggler_options.hpp"
#include "topologies/cluster/defects.hpp"
#include "topologies/machine/bill.hpp"
#include "topologies/price/prices.hpp"
#include "workloads/lowering/optimizer.hpp"
#include "workloads/lowering/state_sharding.hpp"
#include "workloads/lowering/step_plan.hpp"
#include "workloads/model/model.hpp"
#include "workloads/pipeline/even_stages.hpp"
#include "workloads/pipeline/schedule.hpp"
#include "workloads/split/context_split.hpp"
#include "workloads/split/embedding_split.hpp"
#include "workloads/split/expert_split.hpp"

namespace mlsim::sim {

struct SoftwareOptions {
  std::string stack;                         // whose speed to assume; empty: the first that is known of the accelerator
  std::optional<int> year;                   // whose software to assume where no stack is named; empty: any year's
  std::optional<Optimizer> optimizer;        // empty: the recipe's, else the family's usual one
  std::optional<bool> multi_tensor;          // all tensors are updated in one kernel; empty: as the stack does
  std::optional<bool> fusion;                // empty: as the stack does
  std::vector<std::string> compiled_blocks;  // these alone are fused; empty: as `fusion` says
  std::optional<LaunchMode> launch;          // empty: as the software does
  std::optional<bool> loss_scaling;          // empty: on where a GPU trains in fp16
  std::optional<double> gradient_clipping;   // the largest norm
  AttentionKernels attention = AttentionKernels::unfused;
  ServerOptions servers;
  bool operator==(const SoftwareOptions&) const = default;
};

/// Data ranks that share out the state: those of a node, or so many. The others are replicas of them.
struct ShardingRanks {
  bool all = true, node = false;
  int count = 0;
  bool operator==(const ShardingRanks&) const = default;
};

struct MemoryOptions {
  Recompute recompute = Recompute::off;
  RecomputeModules recompute_modules{RecomputeModule::core_attention};  // of selective recompute
  int recompute_blocks = 0;                                             // the first of each stage's chunk; 0: all
  std::optional<int> accumulation;                                      // micro-batches; empty: as --parallelism says
  std::optional<StateSharding> sharding;        // empty: as the stack does, of a language model its optimizer's state
  std::optional<ShardingRanks> sharding_ranks;  // empty: all
  std::optional<bool> reshard;                  // empty: on, but on the stages of a pipeline
  Offload offload;
  bool operator==(const MemoryOptions&) const = default;
};

/// These are the defaults of Horovod 0.16.2 to 0.20 (horovod/horovod, horovod/common/operations.cc; 64 MiB and 5 ms
/// since 0.14, the cache of responses since 0.16.2). From 0.21.0 on they are 1 ms and 128 MiB.
struct HorovodOptions {
  Seconds cycle = milliseconds(5);  // HOROVOD_CYCLE_TIME
  Bytes buffer = mebibytes(64);     // HOROVOD_FUSION_THRESHOLD; 0 fuses nothing
  bool cache = true;                // HOROVOD_CACHE_CAPACITY above 0
  bool operator==(const HorovodOptions&) const = default;
};

enum class GradientGrouping { buckets, horovod };
enum class AlgorithmChoice { quickest, nccl };  // nccl: what NCCL's own tuner takes

struct ExchangeOptions {
  GradientGrouping by = GradientGrouping::buckets;
  HorovodOptions horovod;
  std::optional<bool> overlap;                // empty: as the stack does
  std::optional<Bytes> bucket, first_bucket;  // empty: StepPlan's
  AlgorithmChoice choice = AlgorithmChoice::quickest;
  std::optional<NcclProtocol> protocol;         // empty: Simple, with choice=nccl its tuner's
  std::optional<Precision> gradient_precision;  // empty: that of the step, or fp32 where the stack sums in it
  std::optional<Precision> weight_precision;    // empty: that of the step
  std::string communicator;                     // library between nodes; empty: the accelerator's usual one
  std::optional<std::string> algorithm;         // empty: the quickest
  double overlap_slowdown = 0;                  // of kernels beside an exchange, as a fraction of their time
  std::optional<Engine> engine;                 // empty: the usual one
  bool pipelined_summation = true;              // gradients are gathered from their tensors while they are summed

  bool uses_horovod() const { return by == GradientGrouping::horovod; }
  bool operator==(const ExchangeOptions&) const = default;
};

struct ParallelismOptions {
  std::string mesh;                       // where the axes lie, as parse_mesh reads it; empty: the best
  std::optional<int> batch_norm_group;    // ranks that take mean and variance together
  std::optional<bool> sequence_parallel;  // empty: of a language model
  std::optional<PipelineSchedule> pipeline_schedule;
  int pipeline_chunks = 1;                                   // of layers on each stage
  std::optional<StageCut> stages;                            // empty: even where one block is repeated
  std::optional<int> first_stage_layers, last_stage_layers;  // repetitions of the block; empty: an even share
  double capacity = 1;                                       // tokens that an expert takes, 1 for an even routing
  bool whole_experts = false;                                // ParallelismRequest::whole_experts()
  std::optional<bool> tensor_overlap, pipeline_overlap, gather_overlap;  // empty: by software, on, off
  bool expert_overlap = false;
  std::optional<ExpertDispatch> dispatch;  // empty: by software
  ContextExchange context_exchange = ContextExchange::ring;
  TableCut table_placement = TableCut::automatic;

  PipelineSchedule schedule() const {
    return pipeline_schedule.value_or(pipeline_chunks > 1 ? PipelineSchedule::interleaved
                                                          : PipelineSchedule::one_f_one_b);
  }
  bool operator==(const ParallelismOptions&) const = default;
};

enum class InputData { synthetic, real };
enum class DecodePlace { host, accelerator };

struct InputOptions {
  std::optional<InputData> data;  // empty: synthetic, and an anchor with either is as near
  std::optional<DecodePlace> decode;
  std::optional<BytesPerSecond> storage_bandwidth;  // of one host; empty: the machine's
  bool page_cache = true;                           // a dataset that fits stays in the host's memory between epochs

  bool real() const { return data == InputData::real; }
  bool operator==(const InputOptions&) const = default;
};

struct JobOptions {
  std::string recipe;                            // empty: the benchmark's default
  std::optional<double> target, target_loss;     // another that runs of a recipe reach; empty: the recipe's own
  std::optional<double> learning_rate;           // empty: the recipe's own
  std::optional<double> epochs, samples, steps;  // the job ends after one of them; empty: at the target
  std::optional<double> tokens;                  // likewise, of language models
  std::optional<double> overrun;        // share of the steps' time beyond it; empty: that of trainings on record
  std::optional<PerSecond> throughput;  // measured by the user; empty: the simulated step's
  bool evaluate = true;
  ClockRule clock = ClockRule::mlperf;

  bool has_length() const { return epochs || samples || steps || tokens; }  // of its own, wherever the target is
  bool operator==(const JobOptions&) const = default;
};

enum class CheckpointRule { off, on, automatic };

/// A `FailureRecord` tells how often a published cluster failed: one accelerator with its share of the system.
struct FailureRecord {
  std::string name;  // "llama3"
  Sourced<Seconds> time_between_failures;
};
const std::vector<FailureRecord>& failure_records();

Sourced<Seconds> usual_restart_time();
Sourced<Seconds> usual_repair_time();

struct FailureOptions {
  bool failures = false;
  Sourced<Seconds> time_between_failures = failure_records().front().time_between_failures;  // of one accelerator
  Sourced<Seconds> restart = usual_restart_time();
  std::optional<int> spares;  // nodes that stand by; empty: as many as it takes
  Sourced<Seconds> repair = usual_repair_time();
  double preemptions_per_vm_hour = 0;
  CheckpointRule checkpoint = CheckpointRule::automatic;  // automatic: where something may fail
  std::optional<Seconds> checkpoint_interval;             // empty: the best
  std::optional<BytesPerSecond> checkpoint_bandwidth;     // at which all of it is written; empty: the usual
  bool operator==(const FailureOptions&) const = default;
};

Sourced<Seconds> usual_teardown();

struct PriceOptions {
  std::optional<PriceKind> kind;  // empty: on demand, if that is known
  std::optional<DateSpan> date;   // empty: the newest
  std::string region;             // empty: the home region of each resource
  std::vector<OwnPrice> own;      // of the user; they win over the price list, and of several the first
  std::vector<OwnPrice> listed;   // likewise, after these: from the user's price lists
  Billing billing = Billing::second;
  Sourced<Seconds> teardown = usual_teardown();  // machines are held after the clock

  bool preemptible() const { return kind == PriceKind::preemptible; }
  bool operator==(const PriceOptions&) const = default;
};

/// What Meta counts of its models: "Power Usage Effectiveness (PUE) of 1.1" and "the national US average carbon
/// intensity factor of 0.385 kg CO2eq/KWh" (Touvron et al., arXiv:2302.13971, section 6).
Sourced<double> usual_pue();
Sourced<double> usual_carbon_intensity();

struct EnergyOptions {
  Sourced<double> pue = usual_pue();                            // power at the meter over that of the machines
  Sourced<double> carbon_intensity = usual_carbon_intensity();  // kg of CO2 equivalent for a kWh
  Sourced<double> load = {1, {Provenance::assumed, "rated power all the time, as Touvron et al. count it", "2023"}};
  bool operator==(const EnergyOptions&) const = default;
};

struct DefectOptions {
  std::vector<Defects::SlowLink> slow_links, failed_links;
  std::vector<Defects::SlowRank> slow_ranks;
  std::vector<Defects::SlowHost> slow_hosts;

  Defects all() const;
  bool operator==(const DefectOptions&) const = default;
};

/// A `GivenText` is a value that was given as text.
struct GivenText {
  std::string text;       // "25 MiB"
  std::string canonical;  // "26214400 B", as the table prints the value that it stands for
};

struct Options {
  SoftwareOptions software;
  MemoryOptions memory;
  ExchangeOptions exchange;
  ParallelismOptions parallelism;
  InputOptions input;
  JobOptions job;
  FailureOptions failures;
  PriceOptions price;
  EnergyOptions energy;
  DefectOptions defects;
  StragglerOptions stragglers;
  std::map<std::string, GivenText> given;  // by key: answers and errors show a value as it was given, while it stands

  /// Tells whether both ask for the same, however it was written.
  bool operator==(const Options& other) const;
};

}  // namespace mlsim::sim
