// mlsim man: manual pages.
#include <filesystem>
#include <memory>

#include "cli/command.hpp"
#include "cli/man_page.hpp"
#include "core/files/output_file.hpp"
#include "core/text/errors.hpp"

namespace mlsim::cli {
namespace {

struct ManOptions {
  std::string subject, folder;
};

// One file for each page; all or none.
void write_pages(const CLI::App& app, const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) throw InputError("--folder", "\"" + folder + "\" is no folder");
  const auto file = [&](const CLI::App& command) {
    return OutputFile{(std::filesystem::path(folder) / (man_name(app, command) + ".1")).string(),
                      man_page(app, command)};
  };
  std::vector<OutputFile> files{file(app)};
  for (const std::string& name : command_names(app)) files.push_back(file(*app.get_subcommand(name)));
  write_files(files);
}

int run_man(const CLI::App& app, const ManOptions& options) {
  if (!options.subject.empty() && !options.folder.empty())
    throw InputError("--folder", "takes all pages; a page alone goes to stdout");
  if (!options.folder.empty()) {
    write_pages(app, options.folder);
    return 0;
  }
  if (!options.subject.empty()) check_command("man", options.subject, app);
  write_result({}, man_page(app, options.subject.empty() ? app : *app.get_subcommand(options.subject)));
  return 0;
}

}  // namespace

void add_man(CLI::App& app, Action& action) {
  auto options = std::make_shared<ManOptions>();
  CLI::App* command = app.add_subcommand("man", "Writes the manual page of mlsim or of one of its commands");
  command->add_option("COMMAND", options->subject, "One of those that `mlsim --help` shows")->type_name("NAME");
  command->add_option("--folder", options->folder, "Write all pages into this folder")->type_name("FOLDER");
  command->footer("Example:\n  mlsim man predict | man -l -");
  command->callback([options, &app, &action] { action = [options, &app] { return run_man(app, *options); }; });
}

}  // namespace mlsim::cli
