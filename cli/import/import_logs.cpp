#include "cli/import/imports.hpp"

#include <fmt/format.h>

#include "cli/output/terminal.hpp"
#include "cli/program/command.hpp"
#include "core/text/errors.hpp"
#include "core/text/text_file.hpp"
#include "interop/logs/mlperf_log.hpp"
#include "interop/logs/slurm_jobs.hpp"
#include "reports/pages/pages.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "topologies/machine/accelerator_file.hpp"

namespace mlsim::cli {

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
