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
  bool by_xla = false;
};
constexpr std::array<Stem, 20> kStems{{
    {"tuned", SoftwareClass::tuned, true},
    {"megatron", SoftwareClass::tuned},
    {"nemo", SoftwareClass::tuned, true},
    {"transformer-engine", SoftwareClass::tuned, true},
    {"mlperf", SoftwareClass::tuned, true},
    {"primus", SoftwareClass::tuned},
    {"mindspeed", SoftwareClass::tuned},
    {"compiled", SoftwareClass::compiled},
    {"torch.compile", SoftwareClass::compiled},
    {"torchtitan", SoftwareClass::compiled},
    {"maxtext", SoftwareClass::compiled, false, true},
    {"jax", SoftwareClass::compiled, false, true},
    {"pax", SoftwareClass::compiled, false, true},
    {"xla", SoftwareClass::compiled, false, true},
    {"neuron", SoftwareClass::compiled, false, true},
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

// A `ClassShare` says what kernels of a class do beside those of tuned software.
//
// Software that fuses less passes over memory more often: traces of PyTorch 2.11 on H100 and H200 have 570 to 1,650
// bytes of passes a token, layer and unit of width in eager mode and 200 to 260 compiled
// (examples/calibrated-gpu/pytorch_kernels.csv). Its products lose to heat alone, for it splits none over tensor ranks:
// the same traces' reach 0.76 to 0.79 of the peak. The figures were chosen in steps of 0.05 and 0.5 with all rows of
// eager and compiled software on A100 and H100 in validation/published/llm_*.csv in view, each source weighing the same;
// those of role "input" alone come out 4 % too quick in the median of either class. The traces had no part in it.
struct ClassShare {
  std::optional<double> products, passes;
};

ClassShare share_of(SoftwareClass software) {
  switch (software) {
    case SoftwareClass::tuned: break;
    case SoftwareClass::compiled: return {0.9, 2};
    case SoftwareClass::eager: return {1, 3};
  }
  return {};
}

// PyTorch's fused attention was FlashAttention-2, which reaches 35 % of an H100 (Shah et al., FlashAttention-3,
// arXiv:2407.08608), and is cuDNN's now, whose share of 0.35 to 0.45 the traces show; tuned software's is 0.59 before
// its ends. In between, assumed. Before fp8 FlashAttention-2 has all that the chips have.
constexpr double kAttentionSinceHopper = 0.65;

}  // namespace

LaunchMode usual_launch(SoftwareClass software) {
  return software == SoftwareClass::compiled ? LaunchMode::compiled : LaunchMode::eager;
}

Seconds host_time(LaunchMode launch) {
  switch (launch) {
    case LaunchMode::eager: return kPython;
    case LaunchMode::compiled: return kCompiled;
    case LaunchMode::graphs: break;
  }
  return kGraphs;
}

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

ExpertDispatch usual_dispatch(const std::string& stack, AcceleratorFamily family) {
  const auto software = stack.empty() ? usual_class(family) : class_of_stack(stack, family);
  const bool tuned = family == AcceleratorFamily::gpu && software == SoftwareClass::tuned;
  return tuned ? ExpertDispatch::by_node : ExpertDispatch::alltoall;
}

bool is_run_by_xla(const std::string& stack) {
  const Stem* const stem = stem_of(stack);
  return stem != nullptr && stem->by_xla;
}

StackTerm class_terms(SoftwareClass software, const AcceleratorSpec& accelerator,
                      const std::optional<LaunchMode>& launch, bool by_xla) {
  StackTerm term;
  term.stack = name(software);
  term.host_per_kernel = host_time(launch.value_or(usual_launch(software)));
  const ClassShare share = share_of(software);
  term.products = share.products;
  term.passes = share.passes;
  const bool since_hopper = accelerator.family == AcceleratorFamily::gpu && accelerator.peak.contains(Precision::fp8);
  if (software != SoftwareClass::tuned && !by_xla && since_hopper) term.attention = kAttentionSinceHopper;
  term.source = {
      Provenance::fitted,
      "class of software of a language model: kernels by what they reach by themselves and a share of the class, "
      "beside them the host's time for each, which was fitted on layers of one node (github.com/VIA-Research/vTrain)",
      "2024"};
  return term;
}

}  // namespace mlsim::sim
