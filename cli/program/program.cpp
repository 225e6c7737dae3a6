#include "cli/program/program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "cli/program/command.hpp"
#include "cli/program/project.hpp"
#include "cli/program/version.hpp"
#include "core/result/refusal_json.hpp"
#include "core/text/errors.hpp"

namespace mlsim::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kOutputs{"output", "trace", "report", "board"};

struct TypedFile {
  std::string option, path;
};

bool is_output(const CLI::Option& option) {
  const auto& names = option.get_lnames();
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return std::find(kOutputs.begin(), kOutputs.end(), name) != kOutputs.end();
  });
}

// A value may name these files: itself, and its parts between '=', ',', '|' and ':'.
std::vector<std::string> named_files(const std::string& value) {
  std::vector<std::string> files;
  const auto add = [&](const std::string& part) {
    if (std::error_code none; !part.empty() && fs::is_regular_file(part, none)) files.push_back(part);
  };
  add(value);
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find_first_of("=,|:", at), value.size());
    add(value.substr(at, end - at));
    at = end + 1;
  }
  return files;
}

bool same_file(const std::string& one, const std::string& other) {
  std::error_code missing;
  return fs::equivalent(one, other, missing) ||
         fs::absolute(one).lexically_normal() == fs::absolute(other).lexically_normal();
}

// Looks at what was typed for a command, before anything is computed: --output, --trace and --report against one
// another and against every other value that names a file, also in `FILE:KEY=VALUE` and `KEY=FILE`; by device and inode
// where both are there, else by their paths. Throws InputError with option and file. What a command adds to (a profile,
// a sweep's store) is named once only, as its output.
void refuse_output_conflicts(const CLI::App& command) {
  std::vector<TypedFile> outputs, inputs;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& value : option->results()) {
      if (!is_output(*option)) {
        for (std::string& file : named_files(value)) inputs.push_back({shown_name(*option), std::move(file)});
      } else if (value != "-") {
        outputs.push_back({shown_name(*option), value});
      } else if (shown_name(*option) != "--output") {
        throw InputError(shown_name(*option), "cannot go to stdout, where the answer goes; name a file");
      }
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [option, path] = outputs[i];
    for (const TypedFile& input : inputs)
      if (same_file(path, input.path))
        throw InputError(option, fmt::format("\"{}\" is read by {}; name another file", path, input.option));
    for (std::size_t j = 0; j < i; ++j)
      if (same_file(path, outputs[j].path))
        throw InputError(option,
                         fmt::format("\"{}\" is written by {}, too; name another file", path, outputs[j].option));
  }
}

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
    const bool asks =
        at.get_option_no_throw("--topology") != nullptr && at.get_option_no_throw("--workload") != nullptr;
    throw InputError(fmt::format("\"{}\" was not expected after `mlsim {}`{}", word.substr(0, 80), command_words(at),
                                 asks ? "; a system goes behind --topology, a model behind --workload" : ""));
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

// `--set a=1 b=2` is `--set a=1 --set b=2`, where no word of the command stands by itself, as columns of compare do.
std::vector<std::string> with_each_setting(const std::vector<std::string>& words, const CLI::App& app) {
  std::vector<std::string> rest = words;
  if (!takes_settings_in_a_row(named_command(app, rest))) return words;
  std::vector<std::string> plain;
  bool behind_setting = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool value = i > 0 && words[i - 1] == "--set";
    const bool another = behind_setting && !value && looks_like_setting(words[i]);
    if (another) plain.emplace_back("--set");
    plain.push_back(words[i]);
    behind_setting = value || another || words[i].starts_with("--set=");
  }
  return plain;
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

void add_help(CLI::App& app) {
  CLI::App* command = app.add_subcommand("help", "What a command does and takes, as its --help");
  command->add_option("COMMAND", "One of those that `mlsim --help` shows")->type_name("NAME");
  command->footer("Example:\n  mlsim help predict");
}

void add_commands(CLI::App& app, Action& action) {
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
  add_commands(app, action);
  if (!words.empty() && words.front() == "complete") return show_completions(app, {words.begin() + 1, words.end()});
  const std::vector<std::string> plain = with_each_setting(without_help_command(words, app), app);
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

std::set<std::string> switches_of(const std::string& command) {
  CLI::App app;
  Action none;
  add_commands(app, none);
  std::set<std::string> switches;
  for (const CLI::Option* option : app.get_subcommand(command)->get_options())
    if (option->get_expected_max() == 0) switches.insert(option->get_name());
  return switches;
}

}  // namespace mlsim::cli
