// `mlsim diagnose` says which rank, host, link, stage or input makes a step slow, from what a run recorded.
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/import/benchmark_texts.hpp"
#include "calibrate/import/lined_text.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/command.hpp"
#include "core/text/csv.hpp"
#include "core/text/errors.hpp"
#include "core/text/text_file.hpp"
#include "replay/diagnosis/diagnosis.hpp"
#include "replay/diagnosis/flight_record.hpp"
#include "replay/diagnosis/worker_times.hpp"
#include "reports/pages/pages.hpp"

namespace mlsim::cli {
namespace {

constexpr const char* kDiagnoseNotes =
    "What FILE may be, by its content:\n"
    "  own times    a CSV table: step, rank, own_s (or own_ms, own_us), and if known host, input_s, exchange_s. Own "
    "is\n"
    "               without waiting for other ranks: times with it are the same on all ranks, and tell nothing\n"
    "  a pipeline   a CSV table: step, data_rank, stage, op, sequence, start_us, duration_us, and if known host; op "
    "as\n"
    "               Megatron-LM's timers name it: forward-compute, backward-compute, forward-send ...\n"
    "  nccl-tests   logs or JSON of one test on several hosts or pairs of hosts, three runs or more\n"
    "  records      of PyTorch's flight recorder, JSON, one file a rank, all or some\n"
    "  traces       of the PyTorch profiler, .json or .json.gz, one file a rank, all or some\n\n"
    "Causes are ranked by likelihood. What costs less than 2 % of the step is none, and all together are ten times as\n"
    "likely as nothing, or nothing is found: exit code 1.\n\n"
    "Examples:\n"
    "  mlsim diagnose own-times.csv\n"
    "  mlsim diagnose operations.csv --format json\n"
    "  mlsim diagnose worker*.pt.trace.json.gz";

struct DiagnoseOptions {
  std::vector<std::string> files;
  std::string format = "text", output;
};

std::string head_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(4096, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

enum class DiagnosedFile { trace, link_test, flight_record, table };

// Gzip and JSON are traces, but for nccl-tests' own, which have none of their keys.
DiagnosedFile file_kind(const std::string& path) {
  const std::string head = head_of(path);
  if (head.starts_with('\x80'))
    throw InputError(path, "is a pickle; PyTorch's flight recorder writes JSON with _dump_nccl_trace_json()");
  if (head.starts_with("\x1f\x8b")) return DiagnosedFile::trace;
  const auto first = head.find_first_not_of(" \t\r\n");
  const char begin = first == std::string::npos ? ' ' : head[first];
  if (begin == '[') return DiagnosedFile::trace;
  if (begin != '{')
    return is_nccl_tests_text(lined_text(path, read_text_file(path))) ? DiagnosedFile::link_test : DiagnosedFile::table;
  for (const char* key : {"traceEvents", "schemaVersion", "deviceProperties", "distributedInfo"})
    if (head.find(key) != std::string::npos) return DiagnosedFile::trace;
  for (const char* key : {"\"pg_config\"", "\"collective_seq_id\"", "\"pg_status\""})
    if (head.find(key) != std::string::npos) return DiagnosedFile::flight_record;
  if (head.find("\"feasible\"") != std::string::npos)
    throw InputError(path, "is an answer of mlsim, not what was recorded of a run; `mlsim report` reads it");
  return DiagnosedFile::link_test;
}

Diagnosis diagnosis_of_table(const std::string& file) {
  const std::string text = read_text_file(file);
  if (is_pipeline_header(parse_csv(text, file).header)) return diagnosis(parse_pipeline_record(text, file));
  return diagnosis(parse_worker_times(text, file));
}

Diagnosis diagnosis_of(const std::vector<std::string>& files) {
  const DiagnosedFile kind = file_kind(files.front());
  if (kind == DiagnosedFile::trace) return diagnosis(worker_times(recorded_run(load_traces(files))));
  if (kind == DiagnosedFile::flight_record) return diagnosis(load_flight_records(files));
  if (kind == DiagnosedFile::link_test) return diagnosis(load_link_tests(files));
  if (files.size() > 1)
    throw InputError(files[1], "is one table too many: several files are traces of ranks, or logs of nccl-tests");
  return diagnosis_of_table(files.front());
}

int run_diagnose(const DiagnoseOptions& options) {
  check_word("--format", options.format, {"text", "json"});
  if (options.files.empty())
    throw InputError("FILE",
                     "is needed: own times of ranks, operations of a pipeline, logs of nccl-tests, records of "
                     "PyTorch's flight recorder, or traces of ranks");
  const Diagnosis found = diagnosis_of(options.files);
  write_result(options.output, options.format == "json" ? to_json(found) : terminal_text(diagnosis_page(found)));
  return found.found() ? 0 : 1;
}

}  // namespace

void add_diagnose(CLI::App& app, Action& action) {
  auto options = std::make_shared<DiagnoseOptions>();
  CLI::App* command = app.add_subcommand("diagnose",
                                         "What makes a step slow: a rank, a host, a link, an uneven stage, uneven "
                                         "micro-batches or late input, from recorded times");
  command->add_option("FILE", options->files, "What was recorded")->type_name("FILE");
  command->add_option("--format", options->format, "text or json")->type_name("WORD");
  command->add_option("--output", options->output, "Where to write it instead of stdout")->type_name("FILE");
  command->footer(kDiagnoseNotes);
  command->callback([options, &action] { action = [options] { return run_diagnose(*options); }; });
}

}  // namespace mlsim::cli
