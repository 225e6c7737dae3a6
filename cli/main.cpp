// mlsim: parses the command line, runs one subcommand, and turns every error into one sentence and an exit code.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

#include "cli/command.hpp"
#include "cli/project.hpp"
#include "core/errors.hpp"

namespace {

constexpr int kNegativeAnswer = 1, kBadInput = 2, kMachine = 3;

// CLI11 says only that something was not expected; this names it and the nearest word that would have been.
[[noreturn]] void refuse_extras(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  const CLI::App& at = chosen.empty() ? app : *chosen.front();
  const auto extras = app.remaining(true);
  const std::string word = extras.empty() ? std::string() : extras.front().substr(0, extras.front().find('='));
  if (chosen.empty() && !word.starts_with("-")) {
    std::vector<std::string> names;
    for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(sub->get_name());
    throw mlsim::InputError(mlsim::unknown_word("command", word, names));
  }
  std::vector<std::string> names;
  for (const auto* option : at.get_options([](const CLI::Option* o) { return !o->get_group().empty(); }))
    names.push_back("--" +
                    option->get_name(false, false).substr(option->get_name(false, false).find_first_not_of('-')));
  if (word.starts_with("-")) throw mlsim::InputError(mlsim::unknown_word("option", word, names));
  throw mlsim::InputError(fmt::format("\"{}\" was not expected after `mlsim {}`", word.substr(0, 80), at.get_name()));
}

// "--seed", also of an option that the help does not show, or "WHAT" of one that has no name to type.
std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name() : "--" + option.get_lnames().front();
}

// An option that is given empty, often a shell variable that is not set, is not silently left out.
void refuse_empty_options(const CLI::App& app) {
  for (const auto* chosen : app.get_subcommands()) {
    for (const auto* option : chosen->get_options()) {
      for (const auto& value : option->results()) {
        if (value.empty()) throw mlsim::InputError(name_of(*option), "is empty");
      }
    }
  }
}

int run(int argc, char** argv) {
  CLI::App app{"mlsim predicts how long, how well and at what cost a model trains on a cluster.", "mlsim"};
  app.set_version_flag("--version", MLSIM_VERSION);
  app.allow_extras();
  app.footer(
      "Example:\n  mlsim predict --topology torus128x32 --workload resnet50\n\n"
      "Exit codes: 0 done, 1 a negative answer (plan infeasible, bound missed), 2 wrong input,\n"
      "3 something is missing on this machine, or it failed.");
  mlsim::cli::Action action;
  mlsim::cli::add_predict(app, action);
  mlsim::cli::add_explain(app, action);
  mlsim::cli::add_compare(app, action);
  mlsim::cli::add_sweep(app, action);
  mlsim::cli::add_plan(app, action);
  mlsim::cli::add_calibrate(app, action);
  mlsim::cli::add_import(app, action);
  mlsim::cli::add_topology(app, action);
  mlsim::cli::add_validate(app, action);
  mlsim::cli::add_report(app, action);
  mlsim::cli::add_list(app, action);
  mlsim::cli::add_doctor(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& e) {
    throw mlsim::InputError(e.what());
  }
  if (app.remaining_size(true) > 0) refuse_extras(app);
  refuse_empty_options(app);
  if (!action) {
    std::fputs(app.help().c_str(), stderr);
    return kBadInput;
  }
  mlsim::cli::use_project();
  return action();
}

int report(const std::exception& error, int code) {
  fmt::print(stderr, "mlsim: {}\n", error.what());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int code = run(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw mlsim::InputError("stdout", "cannot be written; is the disk full?");
    return code;
  } catch (const mlsim::InputError& e) {
    return report(e, kBadInput);
  } catch (const mlsim::Infeasible& e) {
    return report(e, kNegativeAnswer);
  } catch (const mlsim::Unavailable& e) {
    return report(e, kMachine);
  } catch (const mlsim::MachineFailed& e) {
    return report(e, kMachine);
  } catch (const std::bad_alloc&) {
    return report(mlsim::MachineFailed("there is not enough memory"), kMachine);
  } catch (const std::exception& e) {
    return report(e, kBadInput);
  }
}
