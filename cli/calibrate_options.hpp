// The options of `mlsim calibrate`, and what they ask for.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/collectives/collective_plan.hpp"
#include "calibrate/launch.hpp"
#include "calibrate/measure_plan.hpp"
#include "cli/namespace.hpp"

namespace mlsim::cli {

/// As typed; they become a CalibrateRequest only after parsing, so that every error names its option.
struct CalibrateOptions {
  std::string device, batch, precision, threads, cache, fusion, time_limit, noise, seed = "1";
  std::string collectives, communicator, sizes, min_bytes, max_bytes, step_factor;
  std::string output = "profile.json", cluster, nccl_topology, hwloc, accelerator, complete_on;
  std::vector<std::string> workloads, imports;
  bool quick = false, dry_run = false, restart = false, quiet = false;
};

enum class CalibrateTask { kernels, collectives, imports, topology };

/// What one run of `mlsim calibrate` does. Under mpirun it measures collectives, else kernels; with imports alone, or a
/// topology that another program wrote, nothing.
struct CalibrateRequest {
  CalibrateTask task = CalibrateTask::kernels;
  PlanChoices kernels;
  CollectiveChoices collectives;
  std::optional<Launch> launch;
  std::optional<Seconds> time_limit;
  std::string output, cluster, accelerator;
  std::string nccl_topology, hwloc;  // at most one of them
  std::vector<std::string> imports;
  std::string complete_on;  // a topology
  bool dry_run = false, restart = false, quiet = false;
};

/// Declares the options; `options` must outlive the parser.
void add_calibrate_options(CLI::App& command, CalibrateOptions& options);

/// Throws InputError naming the option that is wrong, Unavailable where collectives are asked for and there is no
/// mpirun.
CalibrateRequest calibrate_request(const CalibrateOptions& options, const std::optional<Launch>& launch);

}  // namespace mlsim::cli
