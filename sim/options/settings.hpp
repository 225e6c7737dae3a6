// What --set takes: each key with its values and meaning, and how a text becomes settings.
#pragma once

#include <string>
#include <vector>

#include "core/settings.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// The keys that --set takes, each with its values and meaning, for --help and for "did you mean".
/// Keys of one theme stand together.
struct SettingKey {
  std::string key, values, meaning, theme = {};
  bool of_job = false;  // counts for the job and its price; a step is the same whatever it says
};
const std::vector<SettingKey>& settings_keys();

/// Throws InputError for an unknown key or a wrong value.
void check_settings(const Settings& settings);

/// "data=real stack=mlperf-v0.7" or "data=real;stack=..." to settings; throws InputError.
Settings parse_settings(const std::string& text);

}  // namespace mlsim::sim
