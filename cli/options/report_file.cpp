#include "cli/options/report_file.hpp"

#include <fmt/format.h>

#include <string_view>

#include "cli/program/command.hpp"
#include "cli/program/version.hpp"
#include "core/text/errors.hpp"
#include "reports/renderers/renderers.hpp"

namespace mlsim::cli {
namespace {

// A word is put in single quotes where a shell would take it for more than one.
std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string made_by() {
  const auto& [number, revision, date] = program_version();
  return fmt::format("mlsim {}{}{}", number, revision.empty() ? "" : ", ", revision);
}

}  // namespace

void add_report_option(CLI::App& command, std::string& path) {
  command.add_option("--report", path, "Write a page with charts (FILE.html), or its tables alone (FILE.md)")
      ->type_name("FILE");
}

void check_report_path(const std::string& option, const std::string& path) {
  if (!path.empty() && !path.ends_with(".html") && !path.ends_with(".md"))
    throw InputError(option, fmt::format("\"{}\" ends in neither .html nor .md", path));
}

PageFormat page_format(const std::string& path) {
  return path.ends_with(".md") ? PageFormat::markdown : PageFormat::html;
}

std::string written_page(const Page& page, PageFormat format) {
  return format == PageFormat::markdown ? page_markdown(page) : page_html(page);
}

OutputFile report_file(const Page& page, const std::string& path) {
  return {path, written_page(page, page_format(path))};
}

PageOrigin page_origin(const CLI::App& command) {
  std::string positionals, options;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    for (const std::string& value : option->results()) {
      if (option->get_positional()) {
        positionals += " " + shell_word(value);
      } else if (option->get_expected_max() == 0) {
        options += " --" + option->get_lnames().front();
      } else {
        options += " --" + option->get_lnames().front() + " " + shell_word(value);
      }
    }
  }
  return {"mlsim " + command_words(command) + positionals + options, made_by()};
}

}  // namespace mlsim::cli
