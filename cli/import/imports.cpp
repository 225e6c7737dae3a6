#include "cli/import/imports.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "cli/options/prediction_options.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/command.hpp"
#include "core/text/errors.hpp"
#include "core/text/parsed.hpp"
#include "core/text/text_file.hpp"
#include "core/text/units_text.hpp"
#include "interop/chakra/chakra_replay.hpp"
#include "interop/logs/mlperf_log.hpp"
#include "interop/logs/slurm_jobs.hpp"
#include "reports/pages/pages.hpp"
#include "sim/options/options_text.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "topologies/machine/accelerator_file.hpp"

namespace mlsim::cli {

int import_chakra(const ChakraImport& import) {
  if (import.files.empty() || import.files.size() > 2)
    throw InputError("FILE",
                     "behind chakra stand PREFIX of PREFIX.0.et, PREFIX.1.et, ..., and a file of process groups "
                     "where that is not PREFIX.groups.json");
  if (import.topology.empty()) throw InputError("--topology", "is needed: where the step is to be simulated");
  interop::ChakraQuestion question;
  question.prefix = import.files.front();
  if (import.files.size() == 2) question.groups = import.files.back();
  question.topology = import.topology;
  if (!import.links.empty()) question.links = parsed("--links", import.links, parse<interop::ChakraLinks>);
  std::string settings;
  for (const std::string& setting : import.settings) settings += (settings.empty() ? "" : "; ") + setting;
  question.options = parse_options(settings);
  if (!import.sum_memory.empty())
    question.sum_memory = parsed("--sum-memory", import.sum_memory, parse_quantity<BytesPerSecond>);
  if (question.sum_memory && question.sum_memory->value <= 0) throw InputError("--sum-memory", "is not above zero");
  const KnownFigures known = known_figures({});
  question.profiles = refs_to(known.own_profiles, known.builtin_profiles);
  const interop::ChakraReplay replay = interop::chakra_replay(question);
  std::error_code missing;
  for (const std::string& file : replay.run.files)
    if (!import.output.empty() && std::filesystem::equivalent(file, import.output, missing))
      throw InputError("--output", "\"" + import.output + "\" is read; name another file");
  if (!import.output.empty()) write_file(import.output, to_json(replay));
  write_result({}, terminal_text(reports::chakra_page(replay)));
  return 0;
}

int import_mlperf_logs(const MlperfImport& import) {
  if (import.files.empty()) throw InputError("FILE", "is needed behind mllog: what a run logged, one file a run");
  if (import.topology.empty())
    throw InputError("--topology", "is needed: the logs do not say where the runs were made");
  std::vector<interop::MlperfRun> runs;
  const std::string accelerator = accelerator_of(import.topology);
  for (const std::string& file : import.files) {
    runs.push_back(interop::mlperf_run(read_text_file(file), file));
    check_device_name(file, runs.back().platform, accelerator);
  }
  const int accelerators = build_cluster(import.topology, import.accelerators).ranks();
  write_result(import.output, interop::cases_csv(runs, {import.topology, accelerators, import.workload}));
  return 0;
}

int import_slurm_jobs(const std::vector<std::string>& files) {
  if (files.size() != 1)
    throw InputError("FILE",
                     "behind sacct stands one file, what sacct -P -D -o JobID,State,NNodes,AllocTRES,ElapsedRaw,"
                     "Start,End,ExitCode printed");
  write_result({},
               terminal_text(reports::slurm_page(interop::slurm_jobs(read_text_file(files.front()), files.front()))));
  return 0;
}

}  // namespace mlsim::cli
