#include "sim/evidence/software_class.hpp"

#include <array>
#include <utility>

namespace mlsim::sim {
namespace {

// Names begin like this; MLPerf's results on GPUs come from NeMo and its kin, those on TPUs from XLA.
constexpr std::array<std::pair<std::string_view, SoftwareClass>, 18> kStems{{
    {"tuned", SoftwareClass::tuned},
    {"megatron", SoftwareClass::tuned},
    {"nemo", SoftwareClass::tuned},
    {"transformer-engine", SoftwareClass::tuned},
    {"mlperf", SoftwareClass::tuned},
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

// The host's time for a kernel that is counted here. An eager layer of width 1024 takes Megatron-DeepSpeed 3.4 ms at a
// micro-batch of one sequence and hardly more at two (vTrain's 540 rows of that width on one node of A100; those of
// width 2048 are checks): what a kernel of ours stands for, several of the framework's with their autograd, together.
// A compiled program calls them from C++ without an interpreter, a recorded graph is launched whole; both are assumed
// from CUDA's own costs, 2.5 us a launch and 1 us a node of a graph (NVIDIA, Getting Started with CUDA Graphs, 2019).
constexpr std::array<Seconds, 3> kHost{microseconds(36), microseconds(10), microseconds(1)};

Launch usual_launch(SoftwareClass software) {
  return software == SoftwareClass::compiled ? Launch::compiled : Launch::eager;
}

}  // namespace

const Words<SoftwareClass>& words(SoftwareClass) {
  static const Words<SoftwareClass> table{"software class", {"tuned", "compiled", "eager"}};
  return table;
}

std::optional<SoftwareClass> class_of_stack(const std::string& stack, AcceleratorFamily family) {
  for (const auto& [stem, of_stem] : kStems) {
    if (!stack.starts_with(stem)) continue;
    return stem == "mlperf" && family == AcceleratorFamily::tpu ? SoftwareClass::compiled : of_stem;
  }
  return std::nullopt;
}

SoftwareClass usual_class(AcceleratorFamily family) {
  return family == AcceleratorFamily::tpu ? SoftwareClass::compiled : SoftwareClass::tuned;
}

StackTerm class_terms(SoftwareClass software, const std::optional<Launch>& launch) {
  StackTerm term;
  term.stack = name(software);
  term.host_per_kernel = kHost[static_cast<std::size_t>(launch.value_or(usual_launch(software)))];
  term.fusion = software != SoftwareClass::eager;
  term.source = {
      Provenance::fitted,
      "class of software of a language model: kernels by what they reach by themselves, beside them the host's "
      "time for each, fitted on 540 rows of one sweep (github.com/VIA-Research/vTrain)",
      "2024"};
  return term;
}

}  // namespace mlsim::sim
