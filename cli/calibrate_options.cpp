#include "cli/calibrate_options.hpp"

#include "cli/collective_options.hpp"
#include "cli/command.hpp"
#include "cli/kernel_options.hpp"
#include "cli/sampling_options.hpp"
#include "core/errors.hpp"

namespace mlsim::cli {
namespace {

// A topology that is read measures nothing, so the options that say how to measure have no meaning with it.
void check_topology_import(const CalibrateOptions& options) {
  const std::string option = options.nccl_topology.empty() ? "--hwloc" : "--nccl-topology";
  if (!options.nccl_topology.empty() && !options.hwloc.empty())
    throw InputError("--hwloc", "cannot be given together with --nccl-topology");
  if (options.cluster.empty()) throw InputError(option, "needs --cluster FILE.yaml, where the topology is written");
  if (!options.imports.empty()) throw InputError("--import", "cannot be given together with " + option);
  if (!options.complete_on.empty()) throw InputError("--complete-on", "cannot be given together with " + option);
  if (!options.workloads.empty() || !options.device.empty() || options.quick || options.dry_run)
    throw InputError(option, "only writes --cluster; give what is to be measured in a run of its own");
}

void add_import_options(CLI::App& command, CalibrateOptions& options) {
  const auto add = [&](const char* name, auto& value, const char* meaning, const char* type) {
    return command.add_option(name, value, meaning)->type_name(type)->group("Of files of other programs");
  };
  add("--import", options.imports,
      "Add what nccl-tests (text or JSON) or an OSU benchmark measured; measures nothing by itself",
      "FILE[:KEY=VALUE,...]")
      ->allow_extra_args(false);
  add("--complete-on", options.complete_on,
      "NCCL's all-reduces of fewer than seven sizes, or of none, become curves by NCCL's structure on this system",
      "TOPOLOGY");
  add("--nccl-topology", options.nccl_topology, "--cluster from this file (NCCL_TOPO_DUMP_FILE) instead", "FILE.xml");
  add("--hwloc", options.hwloc, "--cluster from this file (lstopo --of xml) instead", "FILE.xml");
}

}  // namespace

void add_calibrate_options(CLI::App& command, CalibrateOptions& options) {
  command.add_option("--output", options.output, "Profile to write or to add to (profile.json)")->type_name("FILE");
  command.add_option("--accelerator", options.accelerator, "Name of what was measured (of its model)")
      ->type_name("NAME");
  command.add_option("--precision", options.precision, "fp32 (default), with cuda fp16; of collectives fp32,fp16")
      ->type_name("FORMAT,...");
  command.add_option("--cluster", options.cluster, "Write this machine as a topology, too")->type_name("FILE.yaml");
  command.add_flag("--quick", options.quick, "A coarse profile within a minute");
  command.add_flag("--dry-run", options.dry_run, "Print what would be measured and what it would take");
  command.add_option("--time-limit", options.time_limit, "For the whole run, as 10min")->type_name("TIME");
  command.add_option("--noise", options.noise, "Interquartile range over median that is enough (0.02)")
      ->type_name("SHARE");
  command.add_option("--seed", options.seed, "Of the order in which things are measured (1)")->type_name("N");
  command.add_flag("--restart", options.restart, "Forget what an interrupted run measured");
  command.add_flag("--quiet", options.quiet, "No progress on stderr");
  add_kernel_options(command, options);
  add_collective_options(command, options);
  add_import_options(command, options);
}

CalibrateRequest calibrate_request(const CalibrateOptions& options, const std::optional<Launch>& launch) {
  CalibrateRequest request;
  request.launch = launch;
  request.time_limit = time_limit(options);
  request.output = options.output;
  request.cluster = options.cluster;
  request.accelerator = options.accelerator;
  request.imports = options.imports;
  request.complete_on = options.complete_on;
  request.nccl_topology = options.nccl_topology;
  request.hwloc = options.hwloc;
  request.dry_run = options.dry_run;
  request.restart = options.restart;
  request.quiet = options.quiet;
  if (!options.nccl_topology.empty() || !options.hwloc.empty()) {
    check_topology_import(options);
    request.task = CalibrateTask::topology;
    return request;
  }
  if (launch) {
    refuse_kernel_options(options);
    request.task = CalibrateTask::collectives;
    request.collectives = collective_choices(options);
    return request;
  }
  refuse_collective_options(options);
  request.kernels = kernel_choices(options);
  const bool reads = !options.imports.empty() || !options.complete_on.empty();
  if (!reads || !options.device.empty() || !options.workloads.empty()) {
    if (!options.complete_on.empty()) throw InputError("--complete-on", "measures nothing; give it a run of its own");
    return request;
  }
  request.task = CalibrateTask::imports;
  if (!options.cluster.empty()) throw InputError("--cluster", "is of what is measured, and an import measures nothing");
  return request;
}

}  // namespace mlsim::cli
