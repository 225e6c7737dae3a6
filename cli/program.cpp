#include "cli/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/command.hpp"
#include "cli/completion.hpp"
#include "cli/output_conflicts.hpp"
#include "cli/project.hpp"
#include "cli/version.hpp"
#include "core/result/refusal_json.hpp"
#include "core/text/errors.hpp"

namespace mlsim::cli {
namespace {

// CLI11 says only that something was not expected; this names it and the nearest word that would have been.
[[noreturn]] void refuse_extras(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  const CLI::App& at = chosen.empty() ? app : *chosen.front();
  const auto extras = app.remaining(true);
  const std::string word = extras.empty() ? std::string() : extras.front().substr(0, extras.front().find('='));
  if (chosen.empty() && !word.starts_with("-")) check_command({}, word, app);
  std::vector<std::string> names;
  for (const auto* option : at.get_options([](const CLI::Option* o) { return !o->get_group().empty(); }))
    if (!option->get_lnames().empty()) names.push_back(shown_name(*option));
  if (word.starts_with("-")) throw InputError(unknown_word("option", word, names));
  throw InputError(fmt::format("\"{}\" was not expected after `mlsim {}`", word.substr(0, 80), at.get_name()));
}

bool is_quiet(const CLI::App& app) {
  for (const CLI::App* chosen : app.get_subcommands()) {
    const CLI::Option* quiet = chosen->get_option_no_throw("--quiet");
    if (quiet != nullptr && quiet->count() > 0) return true;
  }
  return false;
}

// An option that is given empty, often a shell variable that is not set, is not silently left out.
void refuse_empty_options(const CLI::App& app) {
  for (const auto* chosen : app.get_subcommands()) {
    for (const auto* option : chosen->get_options()) {
      for (const auto& value : option->results()) {
        if (value.empty()) throw InputError(shown_name(*option), "is empty");
      }
    }
  }
}

// `mlsim help COMMAND` is `mlsim COMMAND --help`.
std::vector<std::string> without_help_command(std::vector<std::string> words, const CLI::App& app) {
  if (words.empty() || words.front() != "help") return words;
  if (words.size() > 2) throw InputError("help", "takes the name of one command");
  if (words.size() == 2 && words.back().starts_with("-")) return words;
  if (words.size() == 2) check_command("help", words.back(), app);
  words.erase(words.begin());
  words.push_back("--help");
  return words;
}

// Empty of an option that the command does not have, or that was not given.
std::string given_word(const CLI::App& command, const std::string& option) {
  const CLI::Option* found = command.get_option_no_throw(option);
  return found == nullptr || found->count() == 0 ? "" : found->results().back();
}

// Where the answer is asked for in JSON, so is a refusal.
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
  if (app.remaining_size(true) > 0) refuse_extras(app);
  refuse_empty_options(app);
  for (const CLI::App* chosen : app.get_subcommands()) refuse_output_conflicts(*chosen);
  if (!action) {
    std::fputs(app.help().c_str(), stderr);
    return kBadInputCode;
  }
  use_project();
  begins(is_quiet(app));
  return answer_of(action, *app.get_subcommands().front());
}

}  // namespace mlsim::cli
