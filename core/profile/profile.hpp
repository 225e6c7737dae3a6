// A Profile is what calibration knows about one accelerator and its software, as a value that reads and writes JSON.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/kernel_key.hpp"
#include "core/kernel/probe_name.hpp"
#include "core/profile/anchor.hpp"
#include "core/profile/collective_curve.hpp"
#include "core/profile/kernel_law.hpp"
#include "core/profile/measurement.hpp"
#include "core/profile/provenance.hpp"
#include "core/profile/rank_scaling.hpp"

namespace mlsim {

/// A `KernelSample` is one timed kernel.
struct KernelSample {
  KernelKey key;
  int threads = 0;  // threads of a processor; 0 for an accelerator, which has no such choice
  Cache cache = Cache::cold;
  SampleStatistics time;
  Source source;
  std::optional<std::string> implementation = {};  // what a library calls that which ran: "jit:avx2"
  bool operator==(const KernelSample&) const = default;
};

/// A `ProbeSample` is one timed thing that no step graph names: a ceiling of the machine, a copy, a launch, a fused
/// kernel or its unfused twin.
struct ProbeSample {
  ProbeName name;
  int threads = 0;
  SampleStatistics time;
  Bytes bytes;  // moved to and from memory, at least
  Flop flop;
  Source source;
  std::optional<std::string> implementation = {};  // as KernelSample's
  bool operator==(const ProbeSample&) const = default;
};

/// An `EfficiencyCurve` gives the time of a kernel = padded FLOP / (compute * peak) + bytes / (memory * memory
/// bandwidth) + per_kernel. It is fitted on whole steps: only the product with this form has meaning. compute may
/// exceed 1 in fp32 (fast convolution).
struct EfficiencyCurve {
  Precision precision = Precision::fp32;
  double compute = 1;
  double memory = 1;
  Seconds per_kernel;
  Source source;
  /// Samples on the accelerator below which, in convolutional networks, batch normalisations join nothing and memory is
  /// not read under computation: their batch fills no whole tiles. Empty: every batch does. Of TPUs.
  std::optional<double> full_batch = {};
  std::optional<std::string> fitted_on = {};  // publishers whose tables of runs it was fitted on, "dle mlperf"
  bool operator==(const EfficiencyCurve&) const = default;
};

/// A `StackTerm` says what a software stack adds to a step, whatever the batch, and how it lays the step out by
/// default.
struct StackTerm {
  std::string stack;      // "mlperf-v0.7", "tf-2017"; the first of a profile is the accelerator's default
  std::string family;     // family of workloads that these terms are for, "transformer"; empty: any
  Seconds step_overhead;  // host and framework work that does not shrink with the batch
  Seconds dispatch;       // what the host takes before a step for each kernel that the step launches
  Seconds per_kernel;     // what the framework takes for each kernel, on top of the accelerator's own launch
  // What the host takes for each kernel of a pass, beside the accelerator: a pass lasts at least as long as its host.
  std::optional<Seconds> host_per_kernel;
  // These are of language models: what products reach in a step of what they do by themselves, where that differs from
  // tuned software's on the accelerator, what fused attention does of tuned software's, and how many times the bytes of
  // fused operators all others move.
  std::optional<double> products, attention, passes;
  Seconds input_per_sample;  // host time per sample of a node's real data that the step waits for
  double contention = 0;     // compute slows by this fraction while ranks exchange gradients (more than one rank)
  std::optional<Seconds> per_exchange;  // what the framework takes around each collective of a step
  // The step takes this times (N - 1)/N more on N ranks in 16 bits, where batch normalisations are kernels of their
  // own.
  std::optional<double> normalization_contention;
  bool overlap = true;               // gradient buckets are exchanged under the backward pass, else after it
  bool fusion = true;                // elementwise operators merge into their producers
  std::optional<bool> multi_tensor;  // false where each tensor is updated by kernels of its own; empty: all in one
  bool sharded_update = false;
  bool wide_gradients = false;                // gradients cross in fp32 whatever the precision of the step
  std::optional<std::string> fitted_on = {};  // publishers whose tables of runs the times were fitted on
  Source source;
  bool operator==(const StackTerm&) const = default;
};

struct Profile {
  std::string accelerator;  // catalogue name, "tpu-v3"
  std::string machine;      // what it was measured on; empty for a built-in profile
  // These stood around the measurement: "host", "processor", "gpu", "driver", "clock", "date", "revision", versions.
  std::map<std::string, std::string> environment;
  std::vector<EfficiencyCurve> efficiency;
  std::vector<StackTerm> stacks;
  std::vector<KernelSample> kernels;
  std::vector<KernelLaw> laws;
  std::vector<ProbeSample> probes;
  std::vector<CollectiveCurve> collectives;
  std::vector<RankScaling> rank_scalings;
  std::vector<Anchor> anchors;  // measured whole steps
};

/// `ProfileRefs` point to profiles in order: of two that know a figure the first wins. They must not outlive the lists.
using ProfileRefs = std::vector<std::reference_wrapper<const Profile>>;
ProfileRefs refs_to(const std::vector<Profile>& first, const std::vector<Profile>& second = {});

/// These write and read JSON, whose schema is calibrate/profile.schema.json. Reading throws InputError with `file` and
/// the key or line at fault; an unknown key is an error.
template <class Io>
void describe(Io& io, Profile& profile);
std::string to_json(const Profile& profile);
Profile profile_from_json(const std::string& text, const std::string& file);

/// Reads the tree of a JSON text (core/text/json_tree.hpp).
Profile profile_from_tree(std::string_view tree, const std::string& file);

}  // namespace mlsim
