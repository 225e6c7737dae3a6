// `mlsim import` adds collectives that another program measured to a profile, or reads what others recorded.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/profile/calibration.hpp"
#include "calibrate/profile/imported_collectives.hpp"
#include "cli/import/imports.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/command.hpp"
#include "core/files/output_file.hpp"
#include "core/files/writer_lock.hpp"
#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "core/text/units_text.hpp"
#include "replay/trace/recorded_run.hpp"
#include "reports/pages/pages.hpp"
#include "sim/collectives/nccl/system.hpp"
#include "topologies/machine/accelerator_file.hpp"

namespace mlsim::cli {
namespace {

// Shows the steps of the traces, one file a rank, and writes them to the run file `output` where it names one. Throws
// InputError where a file is no trace, is named as the output too, or the ranks are not one job's.
int import_trace(const std::vector<std::string>& files, const std::string& output) {
  if (files.empty()) throw InputError("FILE", "is needed behind trace: what the PyTorch profiler of each rank wrote");
  const RecordedRun run = recorded_run(load_traces(files));
  if (!output.empty()) write_file(output, to_json(run));
  write_result({}, terminal_text(reports::trace_page(run)));
  return 0;
}

constexpr const char* kCompleteOn = "--complete-on";
constexpr const char* kImportExamples =
    "Text and JSON of nccl-tests and tables of the OSU micro-benchmarks are read. A file says most of what is needed;\n"
    "what it leaves out stands behind the colon: collective, precision, nodes, ranks_per_node, machine, buffers.\n"
    "After the word `trace` come traces of the PyTorch profiler, .json or .json.gz, or what `nsys export --type "
    "sqlite`\n"
    "wrote, one file a rank: the steps they hold are shown, and written to a run file where --output names one.\n"
    "After the word `chakra` comes the PREFIX of Chakra execution traces, PREFIX.0.et, PREFIX.1.et, ...: their step "
    "is\n"
    "simulated on --topology, where their kernels keep their time and their collectives run anew.\n"
    "After `mllog` come logs of MLPerf, one file a run: a table of cases for `mlsim validate published --cases`. "
    "After\n"
    "`sacct` comes what sacct -P -D -o JobID,State,NNodes,AllocTRES,ElapsedRaw,Start,End,ExitCode printed: rates of\n"
    "failures and preemptions.\n\n"
    "Examples:\n"
    "  mlsim import nccl.log:nodes=2,ranks_per_node=8 --accelerator h100-sxm5 --output h100.json\n"
    "  mlsim import three-sizes.log --complete-on dgx-h100:nodes=2 --output h100.json\n"
    "  mlsim import trace worker*.pt.trace.json.gz --output run.json\n"
    "  mlsim import chakra bert --topology dgx-a100:nodes=2\n"
    "  mlsim import mllog result_*.txt --topology dgx-a100:nodes=2 --output cases.csv\n"
    "  mlsim import sacct jobs.txt\n"
    "  mlsim predict --topology dgx-h100:nodes=2 --workload bert-large --profile h100.json";

struct ImportOptions {
  std::vector<std::string> files;
  std::string complete_on;  // a topology
  std::string accelerator, output;
  std::string topology;                // of Chakra's traces and MLPerf's logs
  std::string sum_memory, links;       // of Chakra's traces
  std::vector<std::string> settings;   // of Chakra's traces
  std::string accelerators, workload;  // of MLPerf's logs

  std::string profile() const { return output.empty() ? "profile.json" : output; }
};

// A name like "h100", of which there are several kinds, is refused.
void refuse_kind_of_accelerator(const std::string& name) {
  const auto known = accelerator_names();
  const auto is_kind = [&](const std::string& other) { return other.starts_with(name + "-"); };
  if (std::find(known.begin(), known.end(), name) == known.end() && std::any_of(known.begin(), known.end(), is_kind))
    throw InputError("--accelerator", unknown_word("accelerator", name, known));
}

Profile profile_to_add_to(const ImportOptions& options, const std::string& accelerator) {
  if (!accelerator.empty() && !options.accelerator.empty() && options.accelerator != accelerator)
    throw InputError("--accelerator", fmt::format("{} has {}, not {}", options.complete_on, accelerator,
                                                  in_quotes(options.accelerator)));
  parsed("--accelerator", options.accelerator, checked_name);
  if (auto earlier = earlier_profile(options.profile())) {
    if (!options.accelerator.empty() && options.accelerator != earlier->accelerator)
      throw InputError("--accelerator",
                       options.profile() + " is of " + earlier->accelerator + "; choose another --output");
    return *earlier;
  }
  refuse_kind_of_accelerator(options.accelerator);
  Profile profile;
  profile.accelerator = options.accelerator.empty() ? accelerator : options.accelerator;
  if (profile.accelerator.empty())
    throw InputError("--accelerator", "is needed, what the file's ranks ran on, or an --output to add to");
  return profile;
}

// Sweeps of few sizes are completed by NCCL's structure on `target`; without any file it stands alone.
std::vector<CollectiveCurve> add_on_target(Profile& profile, const ImportedSweeps& imported, const NcclTarget& target,
                                           const std::string& topology) {
  if (imported.all.empty())
    return {parsed(kCompleteOn, topology, [&](auto&) { return add_unmeasured(profile, target); })};
  add_completed(profile, imported.fresh, target);
  return curves_of(profile, imported.all);
}

// Eight imports into one profile should get their turns within this time; a calibration may take hours.
constexpr Seconds kLockPatience(60);

void say_who_writes(const std::string& holder) { say("waiting for " + holder); }

// A name that is in no catalogue may be that of a machine file of one's own, which alone the profile then serves.
void say_new_accelerator(const std::string& name) {
  const auto known = accelerator_names();
  if (!name.empty() && std::find(known.begin(), known.end(), name) == known.end())
    say(fmt::format("--accelerator: {}; the profile counts for a machine file that has an accelerator of that name",
                    unknown_word("accelerator", name, known)));
}

// A `Form` is what is read: the first word of FILE, or none, where the files are of measured collectives.
struct Form {
  std::string word;
  std::vector<std::string> takes;  // options besides --output
  int (*run)(const ImportOptions& options, const std::vector<std::string>& files);
};

int run_trace(const ImportOptions& options, const std::vector<std::string>& files) {
  return import_trace(files, options.output);
}

int run_chakra(const ImportOptions& options, const std::vector<std::string>& files) {
  return import_chakra({files, options.topology, options.sum_memory, options.output, options.links, options.settings});
}

int run_mllog(const ImportOptions& options, const std::vector<std::string>& files) {
  const int accelerators =
      options.accelerators.empty()
          ? 0
          : parsed("--accelerators", options.accelerators, [](const std::string& text) { return parse_count(text); });
  return import_mlperf_logs({files, options.topology, options.workload, options.output, accelerators});
}

int run_sacct(const ImportOptions& options, const std::vector<std::string>& files) {
  if (!options.output.empty()) throw InputError("--output", "is of no use to sacct, whose rates are shown");
  return import_slurm_jobs(files);
}

int run_collectives(const ImportOptions& options, const std::vector<std::string>& files);

const std::vector<Form>& forms() {
  static const std::vector<Form> all{{"trace", {}, run_trace},
                                     {"chakra", {"--topology", "--set", "--sum-memory", "--links"}, run_chakra},
                                     {"mllog", {"--topology", "--accelerators", "--workload"}, run_mllog},
                                     {"sacct", {}, run_sacct},
                                     {"", {kCompleteOn, "--accelerator"}, run_collectives}};
  return all;
}

void refuse_other_options(const Form& form, const ImportOptions& options) {
  const std::vector<std::pair<std::string, bool>> given{
      {kCompleteOn, !options.complete_on.empty()},   {"--accelerator", !options.accelerator.empty()},
      {"--topology", !options.topology.empty()},     {"--accelerators", !options.accelerators.empty()},
      {"--workload", !options.workload.empty()},     {"--set", !options.settings.empty()},
      {"--sum-memory", !options.sum_memory.empty()}, {"--links", !options.links.empty()}};
  for (const auto& [option, is_given] : given) {
    if (!is_given || std::find(form.takes.begin(), form.takes.end(), option) != form.takes.end()) continue;
    throw InputError(option, form.word.empty() ? "is for what stands behind a word: import chakra, import mllog"
                                               : "is of no use to traces and logs of this form: import " + form.word);
  }
}

int run_collectives(const ImportOptions& options, const std::vector<std::string>& files) {
  if (files.empty() && options.complete_on.empty())
    throw InputError("FILE", "is needed, what nccl-tests or an OSU benchmark printed; or --complete-on TOPOLOGY");
  std::optional<NcclTarget> target;
  if (!options.complete_on.empty()) target = parsed(kCompleteOn, options.complete_on, nccl_target);
  const WriterLock lock(options.profile(), "mlsim import", {kLockPatience, say_who_writes});
  Profile profile = profile_to_add_to(options, target ? target->accelerator : "");
  const auto imported = imported_sweeps(files, profile, target ? target->machine : "");
  for (const CollectiveSweep& sweep : imported.all)
    check_device_name(sweep.source.source, sweep.hardware, profile.accelerator);
  for (const auto& file : imported.repeated)
    say(fmt::format("{}: its launches are in the profile already, so it counts once", file));
  std::vector<CollectiveCurve> curves;
  if (target) {
    curves = add_on_target(profile, imported, *target, options.complete_on);
  } else {
    add_sweeps(profile, imported.fresh);
    curves = curves_of(profile, imported.all);
  }
  write_profile(options.profile(), profile);
  say_new_accelerator(options.accelerator);
  write_result({}, terminal_text(curves_page(curves)));
  return 0;
}

int run_import(const ImportOptions& options) {
  const auto is_asked = [&](const Form& form) {
    return form.word.empty() || (!options.files.empty() && options.files.front() == form.word);
  };
  const Form& form = *std::find_if(forms().begin(), forms().end(), is_asked);
  refuse_other_options(form, options);
  return form.run(options, {options.files.begin() + (form.word.empty() ? 0 : 1), options.files.end()});
}

}  // namespace

void add_import(CLI::App& app, Action& action) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* command = app.add_subcommand(
      "import", "Adds collectives that nccl-tests or an OSU benchmark measured to a profile, or reads traces and logs");
  command
      ->add_option(
          "FILE", options->files,
          "What the program printed, with what the file does not say; or trace, chakra, mllog or sacct and their files")
      ->type_name("[FORM] FILE[:KEY=VALUE,...]");
  command
      ->add_option(
          kCompleteOn, options->complete_on,
          "NCCL's all-reduces of fewer than seven sizes, or of none, become curves by NCCL's structure on this "
          "system")
      ->type_name("TOPOLOGY");
  command->add_option("--accelerator", options->accelerator, "What the ranks ran on, where the profile is new")
      ->type_name("NAME");
  command
      ->add_option("--output", options->output,
                   "Profile to write or to add to (profile.json); of traces and mllog, what was read")
      ->type_name("FILE");
  command
      ->add_option("--topology", options->topology,
                   "Of chakra: the system on which the step is simulated; of mllog: where the runs were made")
      ->type_name("NAME|FILE");
  command
      ->add_option(
          "--set", options->settings,
          "Of chakra: communicator=NAME; algorithm=NAME, which is simulated even where collectives were measured")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--sum-memory", options->sum_memory,
          "Of chakra: sums are taken once bytes are there, in memory of this rate, as ASTRA-sim's local-mem-bw")
      ->type_name("RATE");
  command
      ->add_option("--links", options->links,
                   "Of chakra: software (default), with what libraries lose on them, or ideal, as ASTRA-sim's are")
      ->type_name("WORD");
  command->add_option("--accelerators", options->accelerators, "Of mllog: so many of the system")->type_name("N");
  command->add_option("--workload", options->workload, "Of mllog: the model, where the benchmark does not say it")
      ->type_name("NAME|FILE");
  command->footer(kImportExamples);
  command->callback([options, &action] { action = [options] { return run_import(*options); }; });
}

}  // namespace mlsim::cli
