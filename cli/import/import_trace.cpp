#include "cli/import/import_trace.hpp"

#include "cli/output/terminal.hpp"
#include "cli/program/command.hpp"
#include "core/files/output_file.hpp"
#include "core/text/errors.hpp"
#include "replay/trace/recorded_run.hpp"
#include "reports/pages/trace_page.hpp"

namespace mlsim::cli {

int import_trace(const std::vector<std::string>& files, const std::string& output) {
  if (files.empty()) throw InputError("FILE", "is needed behind trace: what the PyTorch profiler of each rank wrote");
  const RecordedRun run = recorded_run(load_traces(files));
  if (!output.empty()) write_file(output, to_json(run));
  write_result({}, terminal_text(reports::trace_page(run)));
  return 0;
}

}  // namespace mlsim::cli
