// `mlsim validate published` and `mlsim validate questions` compare with runs that others published, asked once and
// asked twelve ways.
#include <memory>

#include "cli/options/report_file.hpp"
#include "cli/output/terminal.hpp"
#include "cli/validate/validate_options.hpp"
#include "replay/validation/published_traces.hpp"
#include "reports/pages/pages.hpp"
#include "reports/renderers/renderers.hpp"
#include "reports/validation/value_text.hpp"
#include "validation/questions/questions.hpp"

namespace mlsim::cli {
namespace {

constexpr const char* kNoChecks = "no row that the question is asked of is a check";

// Returns the file of --board, if one is asked for.
std::vector<OutputFile> board_files(const ValidateOptions& options, const ValidationReport& report) {
  if (options.board.empty()) return {};
  return {{options.board, board_csv(report)}};
}

struct PublishedOptions : ValidateOptions {
  std::string ask = std::string(name(Telling{})), hide = std::string(name(Hidden{})),
              anchors = std::string(name(AnchorSizes{})), report;
  PageOrigin origin;
};

std::string report_text(const ValidationReport& report, const std::string& format) {
  if (format == "json") return to_json(report);
  return format == "markdown" ? page_markdown({"Against published runs", {}, published_sections(report), ""})
                              : terminal_text(validation_page(report));
}

int validate_published_runs(const PublishedOptions& options) {
  check_word("--format", options.format, {"text", "json", "markdown"});
  ValidationOptions how = simulation_of(options);
  how.asking = {worded<Telling>("--ask", options.ask), worded<Hidden>("--hide", options.hide),
                worded<AnchorSizes>("--anchors", options.anchors)};
  check_report_path("--report", options.report);
  const ValidationReport report = validate_published(asked_cases(options), how);
  require_rows(!report.groups.empty(), options, kNoChecks);
  std::vector<OutputFile> files = board_files(options, report);
  if (!options.report.empty()) files.push_back(report_file(validation_report(report, options.origin), options.report));
  write_result(options.output, report_text(report, options.format), files);
  return exit_status(report);
}

}  // namespace

int validate_questions(const ValidateOptions& options) {
  check_word("--format", options.format, {"text", "json", "markdown"});
  const ValidationOptions how = simulation_of(options);
  ValidationReport plain;
  const auto scores = ask_all(asked_cases(options), how, [&](const ValidationReport& report) { plain = report; });
  require_rows(!plain.groups.empty(), options, kNoChecks);
  write_result(options.output,
               options.format == "json" ? to_json(scores)
               : options.format == "markdown"
                   ? page_markdown(accuracy_page(scores, validate_published_traces(how.profiles), plain))
                   : terminal_text(questions_page(scores)),
               board_files(options, plain));
  return exit_status(plain);
}

void add_validate_published(CLI::App& validate, Action& action) {
  auto options = std::make_shared<PublishedOptions>();
  CLI::App& command = add_way(validate, "published", "Runs that others published, as their tables state them",
                              "text (default), json or markdown", *options);
  add_cases(command, *options);
  add_simulation(command, *options);
  command
      .add_option("--ask", options->ask, "as-stated (default), or as-asked: no stack, recipe, optimizer or data named")
      ->type_name("NAME");
  command
      .add_option("--hide", options->hide,
                  "Take away what each case leans on: own (its publisher's tables), table, network, chip, release, or "
                  "era (its MLPerf round and later ones)")
      ->type_name("NAME");
  command.add_option("--anchors", options->anchors, "all (default), or one-box: cases on several nodes from one node")
      ->type_name("NAME");
  add_board(command, *options);
  add_report_option(command, options->report);
  command.callback([options, &command, &action] {
    options->origin = page_origin(command);
    action = [options] { return validate_published_runs(*options); };
  });
}

}  // namespace mlsim::cli
