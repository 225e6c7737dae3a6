#include "cli/program/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/program/command.hpp"
#include "cli/program/output_conflicts.hpp"
#include "cli/program/project.hpp"
#include "cli/program/version.hpp"
#include "core/result/refusal_json.hpp"
#include "core/text/errors.hpp"

namespace mlsim::cli {
namespace {

// Throws where a command that is several stands without the word that says which.
void require_whole_command(const CLI::App& app) {
  const CLI::App& at = chosen_command(app);
  const auto names = command_names(at);
  if (&at != &app && !names.empty())
    throw InputError(fmt::format("{} needs to know what: {}", command_words(at), fmt::join(names, ", ")));
}

// CLI11 says only that something was not expected; this names it and the nearest word that would have been.
[[noreturn]] void refuse_extras(const CLI::App& app) {
  const CLI::App& at = chosen_command(app);
  const auto extras = app.remaining(true);
  const std::string word = extras.empty() ? std::string() : extras.front().substr(0, extras.front().find('='));
  if (!word.starts_with("-")) {
    if (!command_names(at).empty()) check_command(&at == &app ? "" : command_words(at), word, at);
    throw InputError(fmt::format("\"{}\" was not expected after `mlsim {}`", word.substr(0, 80), command_words(at)));
  }
  require_whole_command(app);
  if (&at != &app && at.remaining_size() == 0)
    throw InputError(word, fmt::format("is expected after `mlsim {}`", command_words(at)));
  std::vector<std::string> names;
  for (const auto* option : at.get_options([](const CLI::Option* o) { return !o->get_group().empty(); }))
    if (!option->get_lnames().empty()) names.push_back(shown_name(*option));
  throw InputError(unknown_word("option", word, names));
}

// Refuses an option that is given empty, often a shell variable that is not set.
void refuse_empty_options(const CLI::App& command) {
  for (const auto* option : command.get_options()) {
    for (const auto& value : option->results()) {
      if (value.empty()) throw InputError(shown_name(*option), "is empty");
    }
  }
}

// `mlsim help COMMAND` is `mlsim COMMAND --help`.
std::vector<std::string> without_help_command(std::vector<std::string> words, const CLI::App& app) {
  if (words.empty() || words.front() != "help") return words;
  std::vector<std::string> rest{words.begin() + 1, words.end()};
  if (rest.size() == 1 && rest.front().starts_with("-")) return words;
  const CLI::App& command = named_command(app, rest);
  if (!rest.empty() && command_names(command).empty()) throw InputError("help", "takes the name of one command");
  if (!rest.empty()) check_command("help", rest.front(), command);
  words.erase(words.begin());
  words.push_back("--help");
  return words;
}

// The word is empty where the command does not have the option, or it was not given.
std::string given_word(const CLI::App& command, const std::string& option) {
  const CLI::Option* found = command.get_option_no_throw(option);
  return found == nullptr || found->count() == 0 ? "" : found->results().back();
}

// A refusal is written as JSON where the answer is asked for in JSON.
int answer_of(const Action& action, const CLI::App& command) {
  try {
    return action();
  } catch (const Infeasible& refusal) {
    if (given_word(command, "--format") != "json") throw;
    write_result(given_word(command, "--output"), refusal_json(refusal));
    return kNegativeCode;
  }
}

}  // namespace

int run_program(const std::vector<std::string>& words, const std::function<void(bool quiet)>& begins) {
  CLI::App app{"mlsim predicts how long, how well and at what cost a model trains on a cluster.", "mlsim"};
  app.set_version_flag("-V,--version", "mlsim " + to_text(program_version()));
  app.allow_extras();
  app.require_subcommand(0, 1);  // a later word that names a command is an argument
  app.footer(std::string("Example:\n  mlsim predict --topology torus128x32 --workload resnet50\n\nExit codes: ") +
             kExitCodes);
  Action action;
  add_predict(app, action);
  add_explain(app, action);
  add_compare(app, action);
  add_sweep(app, action);
  add_plan(app, action);
  add_diagnose(app, action);
  add_calibrate(app, action);
  add_import(app, action);
  add_export(app, action);
  add_topology(app, action);
  add_replay(app, action);
  add_validate(app, action);
  add_report(app, action);
  add_list(app, action);
  add_doctor(app, action);
  add_help(app);
  add_completion(app, action);
  if (!words.empty() && words.front() == "complete") return show_completions(app, {words.begin() + 1, words.end()});
  const std::vector<std::string> plain = without_help_command(words, app);
  try {
    app.parse(std::vector<std::string>(plain.rbegin(), plain.rend()));
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& e) {
    throw InputError(e.what());
  }
  const CLI::App& command = chosen_command(app);
  if (app.remaining_size(true) > 0) refuse_extras(app);
  require_whole_command(app);
  refuse_empty_options(command);
  refuse_output_conflicts(command);
  if (!action) {
    std::fputs(app.help().c_str(), stderr);
    return kBadInputCode;
  }
  use_project();
  const CLI::Option* const quiet = command.get_option_no_throw("--quiet");
  begins(quiet != nullptr && quiet->count() > 0);
  return answer_of(action, command);
}

}  // namespace mlsim::cli
