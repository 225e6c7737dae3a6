// Options are text in --set, in tables of cases and in what an answer shows.
#pragma once

#include <string>

#include "core/profile/anchor.hpp"
#include "sim/namespace.hpp"
#include "sim/options/options.hpp"

namespace mlsim::sim {

/// Reads "data=real; stack=mlperf-v0.7"; defects may be given several times. Throws InputError as set_option does, and
/// where a text is not of the form key=value or a key stands twice.
Options parse_options(const std::string& text);

Options options_of(const Settings& settings);

/// Gives one option its value. Throws InputError, whose place is "--set KEY=VALUE", for an unknown key or a wrong
/// value.
void set_option(Options& options, const std::string& key, const std::string& text);

/// Lists what differs from the defaults or was given, key by key: as it was given where that still stands, else as the
/// table prints it.
Settings settings_of(const Options& options);

}  // namespace mlsim::sim
