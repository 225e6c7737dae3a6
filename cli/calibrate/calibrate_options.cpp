#include "cli/calibrate/calibrate_options.hpp"

#include <string>

#include "cli/calibrate/collective_options.hpp"
#include "cli/calibrate/kernel_options.hpp"
#include "cli/calibrate/sampling_options.hpp"
#include "cli/program/command.hpp"
#include "core/text/errors.hpp"
#include "core/text/shown_text.hpp"

namespace mlsim::cli {
namespace {

struct MovedOption {
  const char *name, *command;
};
// The options are refused in this order, because --cluster used to be given together with the two before it.
constexpr MovedOption kMovedOptions[] = {
    {"--import", "mlsim import FILE"},
    {"--complete-on", "mlsim import --complete-on TOPOLOGY"},
    {"--nccl-topology", "mlsim topology --nccl FILE.xml --output FILE.yaml"},
    {"--hwloc", "mlsim topology --hwloc FILE.xml --output FILE.yaml"},
    {"--cluster", "mlsim topology --profile FILE.json --output FILE.yaml"},
};

// A user's script with an option of before is told the command that now does it.
void refuse_moved_options(CLI::App& command) {
  for (const MovedOption& moved : kMovedOptions) {
    const auto refuse = [moved](const std::string&) {
      throw InputError(moved.name, std::string("has a command of its own: ") + moved.command);
    };
    command.add_option_function<std::string>(moved.name, refuse)->group("");
  }
}

}  // namespace

void add_calibrate_options(CLI::App& command, CalibrateOptions& options) {
  command.add_option("--output", options.output, "Profile to write or to add to (profile.json)")->type_name("FILE");
  command.add_option("--accelerator", options.accelerator, "Name of what was measured (of its model)")
      ->type_name("NAME");
  command.add_option("--precision", options.precision, "fp32 (default), with cuda fp16; of collectives fp32,fp16")
      ->type_name("FORMAT,...");
  command.add_flag("--quick", options.quick, "A coarse profile within a minute");
  command.add_flag("--dry-run", options.dry_run, "Print what would be measured and what it would take");
  command.add_option("--time-limit", options.time_limit, "For the whole run, as 10min")->type_name("TIME");
  command.add_option("--noise", options.noise, "Interquartile range over median that is enough (0.02)")
      ->type_name("SHARE");
  command.add_option("--seed", options.seed, "Of the order in which things are measured (1)")->type_name("N");
  command.add_flag("--restart", options.restart, "Forget what an interrupted run measured");
  command.add_flag("--quiet")->description("No progress on stderr");
  add_kernel_options(command, options);
  add_collective_options(command, options);
  refuse_moved_options(command);
}

CalibrateRequest calibrate_request(const CalibrateOptions& options, const std::optional<Launch>& launch) {
  CalibrateRequest request;
  request.launch = launch;
  request.time_limit = time_limit(options);
  request.output = options.output;
  request.accelerator = parsed("--accelerator", options.accelerator, checked_name);
  request.dry_run = options.dry_run;
  request.restart = options.restart;
  if (launch) {
    refuse_kernel_options(options);
    request.collectives = collective_choices(options);
  } else {
    refuse_collective_options(options);
    request.kernels = kernel_choices(options);
  }
  return request;
}

}  // namespace mlsim::cli
