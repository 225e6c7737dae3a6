#include "sim/evidence/run_traits.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/text/errors.hpp"
#include "core/text/split.hpp"
#include "sim/evidence/software_class.hpp"
#include "sim/kernel_cost/operator_efficiency.hpp"
#include "sim/options/option.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "topologies/machine/accelerator_file.hpp"
#include "workloads/convergence/convergence.hpp"
#include "workloads/initialisation/initialisation.hpp"
#include "workloads/model/padding.hpp"

namespace mlsim::sim {
namespace {

std::string code_base(const std::string& stack) {
  std::string base;
  for (const std::string& word : split(stack, '-')) {
    const std::string_view number = std::string_view(word).substr(word.starts_with('v') ? 1 : 0);
    const bool release = !number.empty() && number.find_first_not_of("0123456789.") == std::string_view::npos;
    if (!release) base += (base.empty() ? "" : "-") + word;
  }
  return base;
}

}  // namespace

StackName stack_name(const std::string& stack) {
  return {stack, stack.substr(0, stack.find('-')), code_base(stack), mlperf_round(stack)};
}

StackName stack_name(const std::string& stack, const ChipTraits& chip) {
  StackName name = stack_name(stack);
  if (!chip.tpu) return name;
  for (const FrameworkStart& framework : initialisation_catalogue().frameworks)
    for (const std::string& known : framework.stacks)
      if (known == stack) name.code_base = name.tables;
  return name;
}

StackName stack_name(const std::string& stack, const ChipTraits& chip, NetworkSort sort) {
  if (!is_language_model(sort)) return stack_name(stack, chip);
  const AcceleratorFamily family = chip.tpu ? AcceleratorFamily::tpu : AcceleratorFamily::gpu;
  const auto of_name = class_of_stack(stack, family);
  if (!of_name && !stack.empty()) return stack_name(stack, chip);
  return stack_name(std::string(name(of_name.value_or(usual_class(family)))));
}

ChipTraits chip_traits(const std::string& accelerator) {
  ChipTraits traits;
  traits.name = traits.kind = accelerator;
  const auto spec = find_accelerator(accelerator);
  if (!spec) return traits;
  traits.kind = spec->chip;
  traits.tpu = spec->family == AcceleratorFamily::tpu;
  traits.one_narrow_rate = same_rate(*spec, Precision::fp16, Precision::bf16);
  traits.rates = {spec->memory_bandwidth.value.value};
  for (const auto& [precision, peak] : spec->peak) {
    traits.formats.push_back(precision);
    traits.rates.push_back(peak.value.value);
  }
  return traits;
}

SpeedPopulation RunTraits::population() const {
  if (sort == NetworkSort::graph) return SpeedPopulation::graph_networks;
  return chip.tpu ? SpeedPopulation::tpus : SpeedPopulation::others;
}

double tokens_of(const std::string& workload) {
  const std::string key = "sequence=";
  const auto at = workload.find(key);
  return at == std::string::npos ? 0 : std::strtod(workload.c_str() + at + key.size(), nullptr);
}

bool ChipTraits::sister_of(const ChipTraits& other) const {
  if (kind != other.kind || rates.empty() || formats != other.formats) return false;
  return std::equal(rates.begin(), rates.end(), other.rates.begin(), [](double mine, double others) {
    return mine <= kSisterRates * others && others <= kSisterRates * mine;
  });
}

std::string computed_name(const std::string& workload, const std::string& stack) {
  try {
    return computed_workload(workload, stack);
  } catch (const InputError&) {
    return workload;
  }
}

std::string machine_name(const std::string& topology) { return topology.substr(0, topology.find(':')); }

std::string machine_family(const std::string& topology) {
  const std::string machine = machine_name(topology);
  const bool grid = machine.starts_with("torus") || machine.starts_with("mesh");
  const std::string key = "accelerator=";
  const auto at = topology.find(key);
  if (at == std::string::npos) return grid ? "grid" : machine;
  const auto from = at + key.size();
  return (grid ? "grid" : machine) + " " + topology.substr(from, topology.find_first_of(":,", from) - from);
}

std::vector<std::string> settings_texts(const Options& options) {
  std::vector<std::string> texts;
  texts.reserve(option_table().size());
  for (const Option& option : option_table()) texts.push_back(option.value.print(options));
  return texts;
}

// Takes "dgx2" of "dgx2:nodes=32", where that stands last: how many nodes says nothing of the chip.
std::string without_nodes(const std::string& topology) {
  const auto at = topology.find(":nodes=");
  return at == std::string::npos || topology.find_first_of(":,", at + 1) != std::string::npos ? topology
                                                                                              : topology.substr(0, at);
}

const ChipTraits& TraitsReader::chip(const std::string& topology) {
  const std::string system = without_nodes(topology);
  const auto [entry, fresh] = chips_.try_emplace(system);
  if (!fresh) return entry->second;
  try {
    entry->second = chip_traits(accelerator_of(system));
  } catch (const InputError&) {  // a system that the catalogue does not hold
  }
  return entry->second;
}

NetworkSort TraitsReader::sort(const std::string& workload) {
  const std::string file = workload.substr(0, workload.find(':'));
  const auto [entry, fresh] = sorts_.try_emplace(file, NetworkSort::image);
  if (!fresh) return entry->second;
  try {
    entry->second = network_sort(file);
  } catch (const InputError&) {  // a network that the catalogue does not hold
  }
  return entry->second;
}

RunTraits TraitsReader::names(const std::string& topology, const std::string& workload, const Options& options) {
  RunTraits traits;
  traits.workload = workload;
  traits.network = std::string(network_name(workload));
  traits.sort = sort(workload);
  traits.chip = chip(topology);
  traits.machine = machine_name(topology);
  traits.stack = stack_name(options.software.stack, traits.chip, traits.sort);
  traits.tokens = tokens_of(workload);
  traits.fusion = options.software.fusion;
  return traits;
}

RunTraits TraitsReader::traits(const ParsedAnchor& run) {
  RunTraits traits = names(run.topology, run.workload, run.options);
  traits.computed = computed_name(run.workload, run.options.software.stack);
  traits.precision = run.precision;
  traits.settings = settings_texts(run.options);
  traits.source = run.source.source;
  traits.splits_model = !run.parallelism.empty();
  traits.accelerators = run.accelerators;
  traits.global_batch = run.global_batch;
  traits.micro_batch = run.global_batch / run.accelerators / run.options.memory.accumulation.value_or(1);
  return traits;
}

}  // namespace mlsim::sim
