// From a question to the answer: load, lower, place, simulate, and clock the job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/anchor.hpp"
#include "core/precision.hpp"
#include "core/prediction.hpp"
#include "core/profile.hpp"
#include "core/shared_list.hpp"
#include "sim/fidelity.hpp"
#include "sim/timeline.hpp"

namespace mlsim {

/// What `mlsim predict` and one row of a table of cases ask. Empty fields are chosen and said in the answer.
struct PredictRequest {
  std::string topology;
  std::string workload;
  int accelerators = 0;                // 0: all that the topology names
  std::optional<double> global_batch;  // samples; at most one of the two batches
  std::optional<double> batch_per_accelerator;
  std::string parallelism;  // "data=64"
  std::optional<Precision> precision;
  Fidelity fidelity = Fidelity::folded;
  Settings settings;             // keys of settings_keys()
  SharedList<Profile> profiles;  // the user's first, then the built-in ones
  std::size_t own_profiles = 0;  // how many of them are the user's
  SharedList<Anchor> anchors;    // the first wins where two are equally near
  std::string anchor_source;     // anchors whose source starts so are nearer; empty: all alike
  std::uint64_t seed = 0;
};

/// Throws InputError, Infeasible or Unavailable. `timeline`, where given, receives the simulated step.
Prediction predict(const PredictRequest& request, Timeline* timeline = nullptr);

/// The keys that --set takes, each with its values and meaning, for --help and for "did you mean".
/// Keys of one theme stand together.
struct SettingKey {
  std::string key, values, meaning, theme = {};
};
const std::vector<SettingKey>& settings_keys();
/// Throws InputError for an unknown key or a wrong value.
void check_settings(const Settings& settings);
/// "data=real stack=mlperf-v0.7" or "data=real;stack=..." to settings; throws InputError.
Settings parse_settings(const std::string& text);

}  // namespace mlsim
