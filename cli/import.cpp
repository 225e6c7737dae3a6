// mlsim import: adds collectives that another program measured to a profile, or reads what others recorded.
#include <memory>
#include <string>
#include <vector>

#include "calibrate/profile/calibration.hpp"
#include "calibrate/profile/imported_collectives.hpp"
#include "cli/command.hpp"
#include "cli/import_chakra.hpp"
#include "cli/import_trace.hpp"
#include "cli/profile_output.hpp"
#include "core/errors.hpp"
#include "reports/calibration/collective_text.hpp"
#include "sim/collectives/nccl/target.hpp"

namespace mlsim::cli {
namespace {

constexpr const char* kCompleteOn = "--complete-on";
constexpr const char* kImportExamples =
    "Text and JSON of nccl-tests and tables of the OSU micro-benchmarks are read. A file says most of what is needed;\n"
    "what it leaves out stands behind the colon: collective, precision, nodes, ranks_per_node, machine, buffers.\n"
    "After the word `trace` come traces of the PyTorch profiler, .json or .json.gz, or what `nsys export --type "
    "sqlite`\n"
    "wrote, one file a rank: the steps they hold are shown, and written to a run file where --output names one.\n"
    "After the word `chakra` comes the PREFIX of Chakra execution traces, PREFIX.0.et, PREFIX.1.et, ...: their step "
    "is\n"
    "simulated on --topology, where their kernels keep their time and their collectives run anew.\n\n"
    "Examples:\n"
    "  mlsim import nccl.log:nodes=2,ranks_per_node=8 --accelerator h100-sxm5 --output h100.json\n"
    "  mlsim import three-sizes.log --complete-on dgx-h100:nodes=2 --output h100.json\n"
    "  mlsim import trace worker*.pt.trace.json.gz --output run.json\n"
    "  mlsim import chakra bert --topology dgx-a100:nodes=2\n"
    "  mlsim predict --topology dgx-h100:nodes=2 --workload bert-large --profile h100.json";

struct ImportOptions {
  std::vector<std::string> files;
  std::string complete_on;  // a topology
  std::string accelerator, output;
  std::string topology, sum_memory;   // of Chakra's traces
  std::vector<std::string> settings;  // of them

  std::string profile() const { return output.empty() ? "profile.json" : output; }
};

Profile profile_to_add_to(const ImportOptions& options, const std::string& accelerator) {
  if (auto earlier = earlier_profile(options.profile())) {
    if (!options.accelerator.empty() && options.accelerator != earlier->accelerator)
      throw InputError("--accelerator",
                       options.profile() + " is of " + earlier->accelerator + "; choose another --output");
    return *earlier;
  }
  Profile profile;
  profile.accelerator = options.accelerator.empty() ? accelerator : options.accelerator;
  if (profile.accelerator.empty())
    throw InputError("--accelerator", "is needed, what the file's ranks ran on, or an --output to add to");
  return profile;
}

// Sweeps of few sizes are completed by NCCL's structure on `target`; without any sweep it stands alone.
std::vector<CollectiveCurve> add_on_target(Profile& profile, const std::vector<CollectiveSweep>& sweeps,
                                           const NcclTarget& target, const std::string& topology) {
  if (!sweeps.empty()) return add_completed(profile, sweeps, target);
  return {parsed(kCompleteOn, topology, [&](auto&) { return add_unmeasured(profile, target); })};
}

void refuse_profile_options(const ImportOptions& options) {
  const char* const why = "is of no use to traces, which say it themselves";
  if (!options.accelerator.empty()) throw InputError("--accelerator", why);
  if (!options.complete_on.empty()) throw InputError(kCompleteOn, why);
}

void refuse_chakra_options(const ImportOptions& options) {
  const char* const why = "is for Chakra's traces: mlsim import chakra PREFIX";
  if (!options.topology.empty()) throw InputError("--topology", why);
  if (!options.sum_memory.empty()) throw InputError("--sum-memory", why);
  if (!options.settings.empty()) throw InputError("--set", why);
}

int run_chakra(const ImportOptions& options) {
  refuse_profile_options(options);
  return import_chakra({{options.files.begin() + 1, options.files.end()},
                        options.topology,
                        options.sum_memory,
                        options.output,
                        options.settings});
}

int run_trace(const ImportOptions& options) {
  refuse_profile_options(options);
  return import_trace({options.files.begin() + 1, options.files.end()}, options.output);
}

int run_import(const ImportOptions& options) {
  if (!options.files.empty() && options.files.front() == "chakra") return run_chakra(options);
  refuse_chakra_options(options);
  if (!options.files.empty() && options.files.front() == "trace") return run_trace(options);
  if (options.files.empty() && options.complete_on.empty())
    throw InputError("FILE", "is needed, what nccl-tests or an OSU benchmark printed; or --complete-on TOPOLOGY");
  const auto sweeps = imported_sweeps(options.files);
  std::vector<CollectiveCurve> curves;
  Profile profile;
  if (options.complete_on.empty()) {
    profile = profile_to_add_to(options, "");
    add_sweeps(profile, sweeps);
    curves = curves_of(profile, sweeps);
  } else {
    const NcclTarget target = parsed(kCompleteOn, options.complete_on, nccl_target);
    profile = profile_to_add_to(options, target.accelerator);
    curves = add_on_target(profile, sweeps, target, options.complete_on);
  }
  write_profile(options.profile(), profile);
  std::string text;
  for (const auto& curve : curves) text += collective_text(curve);
  write_result({}, text);
  return 0;
}

}  // namespace

void add_import(CLI::App& app, Action& action) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* command = app.add_subcommand(
      "import", "Adds collectives that nccl-tests or an OSU benchmark measured to a profile, or reads traces");
  command
      ->add_option("FILE", options->files,
                   "What the program printed, with what the file does not say; or trace or chakra and their files")
      ->type_name("[trace|chakra] FILE[:KEY=VALUE,...]");
  command
      ->add_option(
          kCompleteOn, options->complete_on,
          "NCCL's all-reduces of fewer than seven sizes, or of none, become curves by NCCL's structure on this "
          "system")
      ->type_name("TOPOLOGY");
  command->add_option("--accelerator", options->accelerator, "What the ranks ran on, where the profile is new")
      ->type_name("NAME");
  command
      ->add_option("--output", options->output, "Profile to write or to add to (profile.json); of traces, the run file")
      ->type_name("FILE");
  command->add_option("--topology", options->topology, "Of chakra: the system on which the step is simulated")
      ->type_name("NAME|FILE");
  command->add_option("--set", options->settings, "Of chakra: communicator=NAME, algorithm=NAME")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--sum-memory", options->sum_memory,
          "Of chakra: sums are taken once bytes are there, in memory of this rate, as ASTRA-sim's local-mem-bw")
      ->type_name("RATE");
  command->footer(kImportExamples);
  command->callback([options, &action] { action = [options] { return run_import(*options); }; });
}

}  // namespace mlsim::cli
