// `mlsim report` writes the page of results that were saved as JSON.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "cli/options/report_file.hpp"
#include "cli/program/command.hpp"
#include "core/text/errors.hpp"
#include "core/text/text_file.hpp"
#include "reports/pages/pages.hpp"
#include "reports/saved_result.hpp"
#include "studies/sweep/database.hpp"

namespace mlsim::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> results;
  std::string output, format;
};

PageFormat format_of(const ReportOptions& options) {
  const bool to_stdout = options.output.empty() || options.output == "-";
  const PageFormat asked = options.format == "markdown" ? PageFormat::markdown : PageFormat::html;
  if (to_stdout && options.format.empty())
    throw InputError("report needs --output FILE.html or FILE.md, or --format to write to stdout");
  if (to_stdout) return asked;
  check_report_path("--output", options.output);
  const PageFormat format = page_format(options.output);
  if (!options.format.empty() && format != asked)
    throw InputError("--format",
                     fmt::format("{} is not what the ending of \"{}\" says", options.format, options.output));
  return format;
}

int run_report(const ReportOptions& options, const PageOrigin& origin) {
  if (!options.format.empty()) check_word("--format", options.format, {"html", "markdown"});
  if (options.results.empty())
    throw InputError("report needs results: JSON of predict, compare or validate published, or the store of a sweep");
  for (const std::string& path : options.results)
    if (std::error_code none; !std::filesystem::exists(path, none)) throw InputError(path, "there is no such file");
  const PageFormat format = format_of(options);
  if (options.results.size() == 1 && is_database(options.results.front())) {
    write_result(options.output, written_page(sweep_report(options.results.front(), origin), format));
    return 0;
  }
  std::vector<SavedResult> results;
  for (const std::string& path : options.results) results.push_back(saved_result(read_text_file(path), path));
  write_result(options.output, written_page(saved_page(std::move(results), origin), format));
  return 0;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "A page with charts and tables from saved results");
  command
      ->add_option("RESULT", options->results,
                   "JSON of predict, compare or validate published, or the store of a sweep; several answers are set "
                   "side by side")
      ->type_name("FILE");
  command->add_option("--output", options->output, "Write the page to this file, .html or .md")->type_name("FILE");
  command->add_option("--format", options->format, "html or markdown; by the output's ending where it is not said")
      ->type_name("NAME");
  command->footer(
      "Example:\n  mlsim predict --topology dgx-a100 --workload resnet50 --format json --output a100.json\n"
      "  mlsim report a100.json --output a100.html");
  command->callback([options, command, &action] {
    action = [options, origin = page_origin(*command)] { return run_report(*options, origin); };
  });
}

}  // namespace mlsim::cli
