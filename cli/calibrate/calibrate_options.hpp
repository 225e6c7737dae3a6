// `CalibrateOptions` are the options of `mlsim calibrate` as typed; a `CalibrateRequest` is what they ask for.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/collectives/collective_plan.hpp"
#include "calibrate/launch.hpp"
#include "calibrate/measure.hpp"
#include "calibrate/measure_plan.hpp"
#include "cli/namespace.hpp"
#include "core/units.hpp"

namespace mlsim::cli {

/// The options are as typed; they become a CalibrateRequest only after parsing, so that every error names its option.
struct CalibrateOptions {
  std::string device, batch, precision, threads, cache, fusion, time_limit, noise, seed = "1";
  std::string collectives, communicator, sizes, min_bytes, max_bytes, step_factor;
  std::string output = "profile.json", accelerator;
  std::vector<std::string> workloads;
  bool quick = false, dry_run = false, restart = false;
};

/// A `CalibrateRequest` is what one run of `mlsim calibrate` measures: under mpirun collectives, else kernels.
struct CalibrateRequest {
  std::optional<Launch> launch;   // by mpirun
  PlanChoices kernels;            // without it
  CollectiveChoices collectives;  // with it
  std::optional<Seconds> time_limit;
  std::string output, accelerator;
  bool dry_run = false, restart = false;
};

/// Declares the options; `options` must outlive the parser.
void add_calibrate_options(CLI::App& command, CalibrateOptions& options);

/// Throws InputError naming the option that is wrong, Unavailable where collectives are asked for and there is no
/// mpirun.
CalibrateRequest calibrate_request(const CalibrateOptions& options, const std::optional<Launch>& launch);

/// The sampling options say how long, how often and in which order `mlsim calibrate` measures.
/// Each throws InputError naming the option that is wrong.
StoppingRule stopping_rule(const CalibrateOptions& options);
std::optional<Seconds> time_limit(const CalibrateOptions& options);
std::uint64_t seed_of(const CalibrateOptions& options);

}  // namespace mlsim::cli
