// `mlsim topology` writes this machine, or one that another program described, as a machine file.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "calibrate/builtin_profiles.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/command.hpp"
#include "core/text/errors.hpp"
#include "topologies/import/host_machine.hpp"
#include "topologies/import/imports.hpp"

namespace mlsim::cli {
namespace {

constexpr const char* kTopologyExamples =
    "Examples:\n"
    "  mlsim topology --profile here.json --output here.yaml   this machine, with what was measured of it\n"
    "  mlsim topology --device cuda                            this machine and its GPUs\n"
    "  mlsim topology --nccl dgx.xml --output dgx.yaml\n"
    "  mlsim predict --topology here.yaml --workload resnet20-cifar --profile here.json";

struct MachineFileOptions {
  std::string nccl, hwloc;  // files; at most one of them
  std::string device, profile, accelerator, output;
};

void check_topology_options(const MachineFileOptions& options) {
  if (!options.device.empty()) check_word("--device", options.device, {"cpu", "cuda"});
  if (!options.nccl.empty() && !options.hwloc.empty())
    throw InputError("--hwloc", "cannot be given together with --nccl");
  const std::string file = options.nccl.empty() ? "--hwloc" : "--nccl";
  if (!options.profile.empty() && !(options.nccl.empty() && options.hwloc.empty()))
    throw InputError("--profile", "says what was measured of this machine, and " + file + " describes another");
  if (!options.device.empty() && !options.nccl.empty())
    throw InputError("--device", "cannot be given together with --nccl, whose files are of GPUs");
  if (!options.device.empty() && !options.profile.empty())
    throw InputError("--device", "cannot be given together with --profile, which says what was measured");
}

// The machine is named as the file that is written.
std::string nccl_text(const MachineFileOptions& options) {
  NcclTopologyHints hints;
  hints.accelerator = options.accelerator;
  if (!options.output.empty() && options.output != "-")
    hints.name = std::filesystem::path(options.output).stem().string();
  return nccl_machine_text(options.nccl, hints);
}

std::string host_text(const MachineFileOptions& options) {
  HostMachineHints hints;
  if (!options.profile.empty()) {
    hints = measured_hints(load_profile(options.profile));
    const bool of_gpus = hints.accelerators == HostMachineHints::Accelerators::gpus;
    if (!of_gpus && !hints.ceilings.fp32 && !hints.ceilings.memory)
      say(fmt::format("--profile: {} holds no probe of this processor's rates, so they are assumed from its cores",
                      options.profile));
  }
  if (options.device == "cuda") hints.accelerators = HostMachineHints::Accelerators::gpus;
  if (!options.accelerator.empty()) hints.accelerator = options.accelerator;
  return machine_file_text(options.hwloc.empty() ? this_machine() : hwloc_machine(options.hwloc), hints);
}

}  // namespace

void add_topology(CLI::App& app, Action& action) {
  auto options = std::make_shared<MachineFileOptions>();
  CLI::App* command =
      app.add_subcommand("topology", "Writes this machine, or one that NCCL or hwloc described, as a machine file");
  command->add_option("--nccl", options->nccl, "The machine of this file instead (NCCL_TOPO_DUMP_FILE)")
      ->type_name("FILE.xml");
  command->add_option("--hwloc", options->hwloc, "The machine of this file instead (lstopo --of xml)")
      ->type_name("FILE.xml");
  command->add_option("--device", options->device, "Accelerators: the processor (cpu, default) or the GPUs (cuda)")
      ->type_name("NAME");
  command->add_option("--profile", options->profile, "What was measured of this machine")->type_name("FILE");
  command->add_option("--accelerator", options->accelerator, "Its name (of its model or of the profile)")
      ->type_name("NAME");
  command->add_option("--output", options->output, "Machine file to write (stdout)")->type_name("FILE.yaml");
  command->footer(kTopologyExamples);
  command->callback([options, &action] {
    action = [options] {
      check_topology_options(*options);
      write_result(options->output, options->nccl.empty() ? host_text(*options) : nccl_text(*options));
      return 0;
    };
  });
}

}  // namespace mlsim::cli
