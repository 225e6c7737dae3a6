// How a language model's step is programmed tells its speed better than a release does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile/profile.hpp"
#include "sim/namespace.hpp"
#include "sim/options/launch_mode.hpp"
#include "topologies/cluster/cluster.hpp"
#include "workloads/model/model.hpp"
#include "workloads/split/expert_split.hpp"

namespace mlsim::sim {

/// Returns the class of a stack by its name: "megatron", "nemo-25.04", "torchtitan", "mlperf-v4.0", which on TPUs is
/// compiled. It is empty for other names.
std::optional<SoftwareClass> class_of_stack(const std::string& stack, AcceleratorFamily family);

/// Lists how the names that have a class begin: "megatron", "torchtitan".
std::vector<std::string> software_stems();

/// Returns the class of a question that names no software: compiled on TPUs, tuned on all others.
SoftwareClass usual_class(AcceleratorFamily family);

/// Says whether the software runs the exchanges of tensor ranks beside the products that they belong to: Transformer
/// Engine does on chips with fp8 in what NeMo runs (docs.nvidia.com/nemo-framework, "Communication Overlap":
/// tp_comm_overlap). Megatron-LM and others do where they are told to. `stack` may be empty, which is the usual class.
bool overlaps_tensor_exchanges(const std::string& stack, const AcceleratorSpec& accelerator);

/// Says how the software takes tokens to experts where the question does not: what NVIDIA tunes does so by node since
/// NeMo 25.09 (NVIDIA-NeMo/Megatron-Bridge, perf_recipes, moe_flex_dispatcher_backend). `stack` may be empty.
ExpertDispatch usual_dispatch(const std::string& stack, AcceleratorFamily family);

/// Says whether XLA runs the step, whose attention on GPUs is cuDNN's, as tuned software's is (JAX,
/// jax.nn.dot_product_attention; google/maxtext, attention: cudnn_flash_te). `stack` may be empty.
bool is_run_by_xla(const std::string& stack);

/// Gives the way in which software of a class launches kernels, and the host's time for one that is counted here.
LaunchMode usual_launch(SoftwareClass software);
Seconds host_time(LaunchMode launch);

/// Makes the terms of a class: no contention and no fixed time, as its kernels are costed one by one, and the time that
/// its host needs for each kernel beside the accelerator, or with `launch` that of another way. `by_xla` says what
/// is_run_by_xla() does of its stack.
StackTerm class_terms(SoftwareClass software, const AcceleratorSpec& accelerator,
                      const std::optional<LaunchMode>& launch = {}, bool by_xla = false);

}  // namespace mlsim::sim
