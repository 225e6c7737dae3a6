// A `PredictRequest` is the question: which model on which machine, how laid out, and what it may lean on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/kernel/precision.hpp"
#include "core/profile/profile.hpp"
#include "core/shared_list.hpp"
#include "sim/engine/fidelity.hpp"
#include "sim/evidence/evidence.hpp"
#include "sim/namespace.hpp"
#include "sim/options/options.hpp"

namespace mlsim::sim {

/// `kMemoryMargin` is the share of an accelerator's memory that a batch leaves free which nobody asked for: JAX, and
/// PyTorch under vLLM, leave as much or more to what no model counts (vllm --gpu-memory-utilization 0.9, docs.vllm.ai;
/// XLA_PYTHON_CLIENT_MEM_FRACTION .75, docs.jax.dev).
inline constexpr double kMemoryMargin = 0.1;

/// `mlsim predict` and one row of a table of cases ask this. Empty fields are chosen and said in the answer.
struct PredictRequest {
  std::string topology;
  std::string workload;
  int accelerators = 0;                // 0: all that the topology names
  std::optional<double> global_batch;  // samples; at most one of the two batches
  std::optional<double> batch_per_accelerator;
  std::string parallelism;  // "data=64"
  std::optional<Precision> precision;
  Fidelity fidelity = Fidelity::folded;
  Options options;
  SharedList<Profile> own_profiles;  // of the user; of two profiles that know a figure these win
  SharedList<Profile> builtin_profiles;
  Evidence anchors;                   // the first wins where two are equally near
  std::string anchor_source;          // anchors whose source starts so are nearer; empty: all alike
  std::optional<std::uint64_t> seed;  // of all that is drawn; 0 where it is not given
  double memory_margin = kMemoryMargin;
  bool as_is = false;        // nothing is chosen for the question but the plain defaults (sim/expert/)
  bool one_of_many = false;  // a study's: our own solver moves its flows, in this process
  bool is_open = false;      // a language model's whose software and layout sim/expert/ has chosen
};

/// Says whether the question tells its batch.
inline bool names_batch(const PredictRequest& request) { return request.global_batch || request.batch_per_accelerator; }

/// Lists all that the question may lean on, the user's first; they must not outlive the request.
inline ProfileRefs profiles_of(const PredictRequest& request) {
  return refs_to(request.own_profiles, request.builtin_profiles);
}

}  // namespace mlsim::sim
