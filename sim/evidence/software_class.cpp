#include "sim/evidence/software_class.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace mlsim::sim {
namespace {

// A `Stem` is how names of stacks begin; MLPerf's results on GPUs come from NeMo and its kin, those on TPUs from XLA.
struct Stem {
  std::string_view name;
  SoftwareClass software;
  bool overlaps = false;  // exchanges of tensor ranks with their products, on chips with fp8
};
constexpr std::array<Stem, 18> kStems{{
    {"tuned", SoftwareClass::tuned, true},
    {"megatron", SoftwareClass::tuned},
    {"nemo", SoftwareClass::tuned, true},
    {"transformer-engine", SoftwareClass::tuned, true},
    {"mlperf", SoftwareClass::tuned, true},
    {"primus", SoftwareClass::tuned},
    {"compiled", SoftwareClass::compiled},
    {"torch.compile", SoftwareClass::compiled},
    {"torchtitan", SoftwareClass::compiled},
    {"maxtext", SoftwareClass::compiled},
    {"jax", SoftwareClass::compiled},
    {"pax", SoftwareClass::compiled},
    {"xla", SoftwareClass::compiled},
    {"eager", SoftwareClass::eager},
    {"pytorch", SoftwareClass::eager},
    {"fsdp", SoftwareClass::eager},
    {"deepspeed", SoftwareClass::eager},
    {"huggingface", SoftwareClass::eager},
}};

// Returns the stem of a stack's name; null where it has none.
const Stem* stem_of(std::string_view stack) {
  const auto found =
      std::find_if(kStems.begin(), kStems.end(), [&](const Stem& stem) { return stack.starts_with(stem.name); });
  return found == kStems.end() ? nullptr : found;
}

// The host's time for a kernel that is counted here, which stands for several of the framework's with what Python and
// autograd do between them. Megatron-DeepSpeed's layers of width 1024 take 3.4 ms at a micro-batch of one sequence and
// hardly more at two (vTrain, one node of A100). The figure was chosen with all of vTrain's rows of one node in view,
// so that none of them tests it; layers of other sources are wide enough to hide it. From a compiled program, without
// an interpreter, and as a node of a recorded graph they cost CUDA's 2.5 us and 1 us for each of some four kernels
// (NVIDIA, Getting Started with CUDA Graphs, 2019): assumed.
constexpr Seconds kPython = microseconds(100), kCompiled = microseconds(10), kGraphs = microseconds(1);

Seconds host_time(LaunchMode launch) {
  switch (launch) {
    case LaunchMode::eager: return kPython;
    case LaunchMode::compiled: return kCompiled;
    case LaunchMode::graphs: break;
  }
  return kGraphs;
}

// Software that fuses less passes through memory more often, which costs a chip the more the more it computes a byte.
// Its kernels take 1 + slowdown x balance times as long as tuned software's, the balance in 16-bit FLOP a byte of
// memory bandwidth. The slowdowns are medians over the smallest runs of each source, the rows of role "input" in
// validation/published/llm_*.csv: eager 1.12 on A100 (balance 153) and 1.25 on H100 (295), which agree on one figure;
// compiled 1.28 on H100.
constexpr double kEagerSlowdown = 8.2e-4, kCompiledSlowdown = 9.5e-4;

double balance(const AcceleratorSpec& accelerator) {
  for (const Precision narrow : {Precision::bf16, Precision::fp16, Precision::fp32}) {
    const auto peak = accelerator.peak.find(narrow);
    if (peak != accelerator.peak.end()) return peak->second.value.value / accelerator.memory_bandwidth.value.value;
  }
  return 0;
}

std::optional<double> kernel_speed(SoftwareClass software, const AcceleratorSpec& accelerator) {
  switch (software) {
    case SoftwareClass::tuned: break;
    case SoftwareClass::compiled: return 1 / (1 + kCompiledSlowdown * balance(accelerator));
    case SoftwareClass::eager: return 1 / (1 + kEagerSlowdown * balance(accelerator));
  }
  return std::nullopt;
}

LaunchMode usual_launch(SoftwareClass software) {
  return software == SoftwareClass::compiled ? LaunchMode::compiled : LaunchMode::eager;
}

}  // namespace

std::optional<SoftwareClass> class_of_stack(const std::string& stack, AcceleratorFamily family) {
  const Stem* const stem = stem_of(stack);
  if (stem == nullptr) return std::nullopt;
  return stem->name == "mlperf" && family == AcceleratorFamily::tpu ? SoftwareClass::compiled : stem->software;
}

std::vector<std::string> software_stems() {
  std::vector<std::string> stems;
  for (const Stem& stem : kStems) stems.emplace_back(stem.name);
  return stems;
}

SoftwareClass usual_class(AcceleratorFamily family) {
  return family == AcceleratorFamily::tpu ? SoftwareClass::compiled : SoftwareClass::tuned;
}

bool overlaps_tensor_exchanges(const std::string& stack, const AcceleratorSpec& accelerator) {
  if (accelerator.family != AcceleratorFamily::gpu || !accelerator.peak.contains(Precision::fp8)) return false;
  const Stem* const stem = stem_of(stack);
  return stack.empty() || (stem != nullptr && stem->overlaps);
}

StackTerm class_terms(SoftwareClass software, const AcceleratorSpec& accelerator,
                      const std::optional<LaunchMode>& launch) {
  StackTerm term;
  term.stack = name(software);
  term.host_per_kernel = host_time(launch.value_or(usual_launch(software)));
  term.kernel_speed = kernel_speed(software, accelerator);
  term.source = {
      Provenance::fitted,
      "class of software of a language model: kernels by what they reach by themselves and a share of the class, "
      "beside them the host's time for each, which was fitted on layers of one node (github.com/VIA-Research/vTrain)",
      "2024"};
  return term;
}

}  // namespace mlsim::sim
