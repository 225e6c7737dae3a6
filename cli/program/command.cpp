#include "cli/program/command.hpp"

#include <algorithm>

#include "cli/output/result_capture.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::cli {

void check_word(const std::string& place, const std::string& word, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), word) == known.end())
    throw InputError(place, unknown_word("word", word, known));
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); }))
    names.push_back(command->get_name());
  return names;
}

std::string command_words(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent == nullptr || parent->get_parent() == nullptr ? command.get_name()
                                                              : command_words(*parent) + " " + command.get_name();
}

const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.front());
}

const CLI::App& named_command(const CLI::App& app, std::vector<std::string>& words) {
  const auto known = command_names(app);
  if (words.empty() || std::find(known.begin(), known.end(), words.front()) == known.end()) return app;
  const CLI::App& command = *app.get_subcommand(words.front());
  words.erase(words.begin());
  return named_command(command, words);
}

void check_command(const std::string& place, const std::string& word, const CLI::App& app) {
  const auto known = command_names(app);
  if (std::find(known.begin(), known.end(), word) == known.end())
    throw InputError(place, unknown_word("command", word, known));
}

const CLI::Option* positional_option(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) return option;
  return nullptr;
}

bool takes_settings_in_a_row(const CLI::App& command) {
  return command.get_option_no_throw("--set") != nullptr && positional_option(command) == nullptr;
}

bool looks_like_setting(const std::string& word) {
  return !word.starts_with("-") && word.find('=') != std::string::npos;
}

std::string shown_name(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name() : "--" + option.get_lnames().front();
}

double parsed_share(const std::string& option, const std::string& text) {
  std::string number = text;
  const bool percent = number.ends_with('%');
  if (percent) number.pop_back();
  while (number.ends_with(' ')) number.pop_back();
  return parsed(option, number, [&](const std::string& digits) {
    const double value = parse_number(digits) / (percent ? 100 : 1);
    if (value < 0) throw InputError("is below 0");
    return value;
  });
}

Seconds parsed_time_limit(const std::string& text) {
  const Seconds limit = parsed("--time-limit", text, parse_quantity<Seconds>);
  if (!(limit > Seconds(0))) throw InputError("--time-limit", "must be more than no time");
  return limit;
}

void write_result(const std::string& path, const std::string& text, std::vector<OutputFile> besides) {
  const bool to_stdout = path.empty() || path == "-";
  if (!to_stdout) besides.push_back({path, text});
  write_files(besides);
  if (to_stdout) show_result_text(text);
}

}  // namespace mlsim::cli
