// `RunTraits` are what a run on record, or the run that a question asks for, is: its names taken apart once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/namespace.hpp"
#include "sim/options/parsed_anchor.hpp"
#include "topologies/cluster/cluster.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {

/// A stack's name says this ("mlperf-v0.7-pytorch"): a code base is a stack without round and date.
struct StackName {
  std::string name;
  std::string tables;           // "mlperf": whose tables the stack's rows stand in
  std::string code_base;        // "mlperf-pytorch"
  std::optional<double> round;  // 0.7, of MLPerf's stacks
};
StackName stack_name(const std::string& stack);

/// PCIe boards of one chip have half of the bandwidth of its modules (H100: 2.0 and 3.35 TB/s), and no less.
inline constexpr double kSisterRates = 2;

struct ChipTraits {
  std::string name;  // of the catalogue; empty for a system that it does not hold, where a run helps nobody
  std::string kind;  // AcceleratorSpec::chip
  bool tpu = false;
  bool one_narrow_rate = false;  // of fp16 and bf16, so that a run in one says as much of the other
  std::vector<double> rates;     // of memory and each format; empty for one that the catalogue does not hold
  std::vector<Precision> formats;

  bool same_speed(const ChipTraits& other) const {
    return !rates.empty() && tpu == other.tpu && formats == other.formats && rates == other.rates;
  }
  /// Says whether the two are one chip with another memory, clock or board: of one kind, with the same formats, and no
  /// rate more than kSisterRates times the other's.
  bool sister_of(const ChipTraits& other) const;
};
/// XLA compiles the programs of all front ends for TPUs, so that one's rows tell the speed of another: there the code
/// base of "mlperf-v0.7-jax" is "mlperf". Initialisation tells such stacks apart (workloads/initialisation/).
StackName stack_name(const std::string& stack, const ChipTraits& chip);

/// What runs of a language model have in common is the class of their software (software_class.hpp), which stands for
/// the stack's name; a stack of no class keeps its own.
StackName stack_name(const std::string& stack, const ChipTraits& chip, NetworkSort sort);

ChipTraits chip_traits(const std::string& accelerator);

/// Runs of one population say how fast each other's kernels are. TPUs run other software than the rest; the work of a
/// graph network's step is estimated, so that its speeds are true of graph networks alone.
enum class SpeedPopulation : std::uint8_t { graph_networks, tpus, others };
inline constexpr std::size_t kSpeedPopulations = 3;

struct RunTraits {
  std::string workload, network;  // "bert-large:sequence=128"; "bert-large", whatever its version
  std::string computed;           // the workload without the padding that the stack leaves out
  NetworkSort sort = NetworkSort::image;
  ChipTraits chip;
  std::string machine;                 // "dgx2h" of "dgx2h:nodes=32", which runs hotter and faster than a dgx2
  std::optional<Precision> precision;  // empty: whatever the accelerator's own choice is
  StackName stack;
  std::string stack_in_use;           // of a question: what stands in where it names no stack
  std::optional<bool> fusion;         // where it is told
  std::vector<std::string> settings;  // by place in the table of options, as the table prints them
  std::string source;                 // of a question: how the sources of nearer runs begin
  bool splits_model = false;          // by stages, tensors or rows, as few runs do
  bool to_target = false;             // states the time to a target, and no rate
  double tokens = 0;                  // of a sample, where the workload's name tells them
  int accelerators = 1;
  double global_batch = 0;  // samples; 0: not told
  double micro_batch = 1;   // samples of one accelerator that go through the network at once

  double batch_each() const { return global_batch / accelerators; }
  SpeedPopulation population() const;
};

/// Reads the tokens of a sample off "gpt3-175b:sequence=2048"; 0 where the name does not tell them.
double tokens_of(const std::string& workload);

/// Names what a stack computes of a workload; a workload that the catalogue does not hold keeps its own name.
std::string computed_name(const std::string& workload, const std::string& stack);

/// Gives "dgx2h" of "dgx2h:nodes=32".
std::string machine_name(const std::string& topology);
/// Gives the same with the accelerator that the name gives, and all grids as one: "grid tpu-v3" of
/// "torus32x32:accelerator=tpu-v3".
std::string machine_family(const std::string& topology);

/// Lists the settings by place in the table of options, as the table prints them.
std::vector<std::string> settings_texts(const Options& options);

/// Takes runs apart; looks each system and network up once.
class TraitsReader {
 public:
  RunTraits traits(const ParsedAnchor& run);
  /// Reads what the names of a run tell, and nothing of its settings, its size and what its stack computes.
  RunTraits names(const std::string& topology, const std::string& workload, const Options& options);
  /// Describes a topology's accelerator.
  const ChipTraits& chip(const std::string& topology);

 private:
  // Reads the sort of a workload's network; `image` for one that the catalogue does not hold.
  NetworkSort sort(const std::string& workload);

  std::map<std::string, ChipTraits> chips_;  // by topology
  std::map<std::string, NetworkSort> sorts_;
};

}  // namespace mlsim::sim
