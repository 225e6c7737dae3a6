// `mlsim sweep` answers every combination of lists and ranges, and keeps them where a store is named.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "cli/options/prediction_options.hpp"
#include "cli/options/report_file.hpp"
#include "cli/output/interruption.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/command.hpp"
#include "cli/program/project.hpp"
#include "cli/program/version.hpp"
#include "core/files/output_file.hpp"
#include "core/files/transient_file.hpp"
#include "core/text/units_text.hpp"
#include "reports/pages/pages.hpp"
#include "reports/studies/sweep_rows.hpp"
#include "studies/sweep/shard.hpp"
#include "studies/sweep/sweep.hpp"

namespace mlsim::cli {
namespace {

struct SweepCommand : PredictionOptions {
  std::string shard, time_limit, workers, report;
  PageOrigin origin;
  std::vector<std::string> shards_to_merge;
  bool restart = false, all = false;
  std::string store;  // file in which rows are gathered; those in other formats are written from there once all are in
};

enum class RowFormat { store, csv, json_lines };

// The format is that of --format, else that of the file's ending.
RowFormat row_format(const SweepCommand& options) {
  static const std::vector<std::string> known{"sqlite", "csv", "jsonl"};
  std::string format = options.format;
  if (format.empty()) {
    const std::string ending = std::filesystem::path(options.output).extension().string();
    format = ending == ".csv" ? "csv" : ending == ".jsonl" ? "jsonl" : "sqlite";
  }
  check_word("--format", format, known);
  return format == "csv" ? RowFormat::csv : format == "jsonl" ? RowFormat::json_lines : RowFormat::store;
}

// What goes on with rows, or is put together later, needs to know where they are.
void check_output(const SweepCommand& options) {
  if (!options.output.empty()) return;
  for (const auto& [name, given] : {std::pair("--shard", !options.shard.empty()),
                                    {"--restart", options.restart},
                                    {"--merge", !options.shards_to_merge.empty()}})
    if (given) throw InputError(name, "needs --output, the file of the rows");
  if (options.format == "sqlite") throw InputError("--output", "is missing: SQLite keeps its rows in a file");
}

// Lists the user's files, also those that values name: what they hold belongs to the sweep.
std::vector<std::string> files_of(const SweepGrid& grid, std::vector<std::string> files) {
  for (const SweepAxis& axis : grid.axes()) {
    for (const std::string& value : axis.values) {
      if (std::error_code none; std::filesystem::is_regular_file(value, none)) files.push_back(value);
    }
  }
  return files;
}

void show_result(const SweepCommand& options) {
  const std::string& store = options.store;
  if (!options.report.empty()) {
    const OutputFile page = report_file(sweep_report(store, options.origin), options.report);
    write_file(page.path, page.text);
  }
  const RowFormat format = row_format(options);
  if (format == RowFormat::store || !options.output.empty()) {
    if (!options.quiet || options.output.empty()) write_result({}, terminal_text(sweep_page(store, options.all)));
    if (format == RowFormat::store) return;
  }
  const std::string rows = format == RowFormat::csv ? rows_csv(store) : rows_json_lines(store);
  if (options.output.empty()) return write_result({}, rows);
  write_file(options.output, rows);
  std::filesystem::remove(store);
}

// The code is 1 where no point has an answer.
int code_of(const std::string& store) { return any_answered(store) ? 0 : 1; }

std::vector<PredictRequest> asked_points(const SweepGrid& grid, const KnownFigures& known) {
  std::vector<PredictRequest> requests;
  for (std::size_t point = 0; point < grid.points(); point += grid.points_of_step())
    requests.push_back(studies::request_of(grid.question(point), known));
  return requests;
}

// Returns the exit code.
int run_points(const SweepCommand& options) {
  const SweepGrid grid(options);
  const KnownFigures known = known_figures(options);
  SweepOptions how;
  if (!options.shard.empty()) how.shard = parsed("--shard", options.shard, parse_shard);
  if (!options.workers.empty())
    how.workers = parsed("--workers", options.workers, [](const std::string& text) { return parse_count(text); });
  if (!options.time_limit.empty()) how.time_limit = parsed_time_limit(options.time_limit);
  const std::string& path = options.store;
  SweepOutcome outcome;
  {
    Store store(path,
                {grid.axes(), to_text(program_version()),
                 checksums(files_of(grid, own_files(options.profiles, options.price_lists))), how.shard},
                options.restart ? Store::Start::anew : Store::Start::go_on);
    const Interruption interruption;
    how.stopped = [&] { return interruption.requested(); };
    how.say = say;
    outcome = sweep(grid, known, store, how);
    if (outcome.interrupted) {
      say(fmt::format("interrupted after {} of {} points; {}", outcome.progress.done, outcome.progress.all,
                      options.output.empty() ? "--output FILE keeps what is answered"
                                             : "the same command goes on with the others"));
      return Interruption::code();
    }
  }
  const int code = code_of(path);
  show_result(options);
  if (!options.profiles.empty()) warn_of_unused_profiles(options, asked_points(grid, known));
  if (!outcome.failure.empty()) throw MachineFailed(outcome.failure);
  return code;
}

// What is merged has been asked: nothing of a question, or of how it is answered, can act on it.
void check_merged_alone(const CLI::App& command) {
  const std::set<std::string> acting{"--merge", "--output", "--format", "--quiet", "--report", "--all"};
  for (const CLI::Option* option : command.get_options())
    if (option->count() > 0 && !acting.contains(shown_name(*option)))
      throw InputError(shown_name(*option), "changes nothing of shards that are merged: they say what was asked");
}

int run_merge(const SweepCommand& options) {
  const std::string& path = options.store;
  merge(options.shards_to_merge, path);
  const int code = code_of(path);
  show_result(options);
  return code;
}

int run_sweep(SweepCommand options) {
  if (options.output == "-") options.output.clear();
  const RowFormat format = row_format(options);
  check_output(options);
  std::optional<TemporaryFolder> unnamed;  // where nobody names a file, rows go with the answer
  if (options.output.empty())
    options.store = unnamed.emplace().path("rows.sqlite");
  else
    options.store = format == RowFormat::store ? options.output : options.output + ".sqlite";
  check_report_path("--report", options.report);
  if (!options.shards_to_merge.empty()) return run_merge(options);
  require_job(options, "sweep");
  return run_points(options);
}

}  // namespace

void add_sweep(CLI::App& app, Action& action) {
  auto options = std::make_shared<SweepCommand>();
  CLI::App* command = app.add_subcommand(
      "sweep",
      "Every combination of lists and ranges of values; with --output into a store that the same command goes on with");
  options->format.clear();
  add_prediction_options(*command, *options, Scope::job,
                         "mlsim sweep --topology dgx-a100:nodes=1..16,torus16x16 --workload resnet50,bert \\\n"
                         "    --set price=on-demand,preemptible --output plan.sqlite");
  command->footer([] {
    return "Values stand between commas, or bars where a value holds commas; 1..64 doubles, 2..10+4 adds, 1..1000*10\n"
           "multiplies, also in a system's name (dgx-a100:nodes=1..8); \"default\" says nothing.\n"
           "all-reduce:payload=4B..500MB/80 are eighty sizes of one collective by equal factors.\n\n" +
           words_help(Scope::job);
  });
  command->get_option("--output")
      ->description(
          "Keep the rows in this SQLite file, which the same command goes on with; FILE.csv and FILE.jsonl too");
  command->get_option("--format")->description("sqlite, csv or jsonl; else by the ending of --output");
  command
      ->add_option("--shard", options->shard,
                   "Only this part of the points: 0/4 is the first of four; /4 takes the index from the task array of\n"
                   "Slurm, Kubernetes or PBS")
      ->type_name("INDEX/COUNT");
  command->add_option("--merge", options->shards_to_merge, "Put the stores of all shards into --output")
      ->type_name("FILE...");
  command->add_option("--workers", options->workers, "Processes at a time; else one for each processor")
      ->type_name("N");
  command->add_option("--time-limit", options->time_limit, "Of one point, \"1 min\"; one that takes longer has failed")
      ->type_name("TIME");
  command->add_flag("--all", options->all, "Print every answered point, not those alone that no other beats");
  command->add_flag("--restart", options->restart, "Forget the rows that are there");
  add_report_option(*command, options->report);
  command->callback([options, command, &action] {
    options->origin = page_origin(*command);
    if (!options->shards_to_merge.empty()) check_merged_alone(*command);
    action = [options] { return run_sweep(*options); };
  });
}

}  // namespace mlsim::cli
