#include "cli/program/command.hpp"

namespace mlsim::cli {

void add_help(CLI::App& app) {
  CLI::App* command = app.add_subcommand("help", "What a command does and takes, as its --help");
  command->add_option("COMMAND", "One of those that `mlsim --help` shows")->type_name("NAME");
  command->footer("Example:\n  mlsim help predict");
}

}  // namespace mlsim::cli
