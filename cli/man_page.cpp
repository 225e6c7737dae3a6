#include "cli/man_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/version.hpp"
#include "core/text/split.hpp"
#include "sim/options/option.hpp"

namespace mlsim::cli {
namespace {

// Text as roff prints it: no escape, no hyphen for a minus, no request at the start of a line.
std::string roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n')) escaped += "\\&";
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else
      escaped += c;
  }
  return escaped;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

std::string section(const std::string& title) { return ".SH " + title + "\n"; }
std::string entry(const std::string& head, const std::string& text) { return ".TP\n" + head + "\n" + text + "\n"; }
std::string as_it_stands(const std::string& text) { return ".nf\n" + roff(text) + "\n.fi\n"; }

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

bool is_shown(const CLI::Option& option) { return !option.get_group().empty(); }

// "-b, --min-bytes SIZE"
std::string head_of(const CLI::Option& option) {
  if (option.get_positional()) return italic(option.get_name(true, false));
  std::string head;
  for (const auto& name : option.get_snames()) head += (head.empty() ? "" : ", ") + bold("-" + name);
  for (const auto& name : option.get_lnames()) head += (head.empty() ? "" : ", ") + bold("--" + name);
  return option.get_items_expected_max() > 0 ? head + " " + italic(option.get_type_name()) : head;
}

std::string synopsis(const CLI::App& command) {
  const std::string name = bold(command.get_parent() == nullptr ? "mlsim" : "mlsim " + command_words(command));
  if (!command_names(command).empty()) return name + " " + italic("COMMAND") + " [" + italic("OPTION") + "]...\n";
  std::string line = name + " [" + italic("OPTION") + "]...";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    line += " [" + italic(option->get_name(true, false)) + "]";
    if (option->get_items_expected_max() > 1) line += "...";
  }
  return line + "\n";
}

// Group by group, as --help has them; arguments that have places come first.
std::string options_of_command(const CLI::App& command) {
  std::string text;
  for (const bool places : {true, false})
    for (const std::string& group : command.get_groups()) {
      bool first = true;
      for (const CLI::Option* option : command.get_options()) {
        if (!is_shown(*option) || option->get_group() != group || option->get_positional() != places) continue;
        if (first && group != "Options" && !places) text += ".SS " + roff(group) + "\n";
        first = false;
        text += entry(head_of(*option), roff(one_line(option->get_description())));
      }
    }
  return text;
}

std::string options_section(const CLI::App& command) {
  std::string text = section("OPTIONS") + options_of_command(command);
  if (command.get_parent() == nullptr) return text;
  for (const std::string& name : command_names(command)) {
    const CLI::App& one = *command.get_subcommand(name);
    text += section(command_words(one)) + roff(one_line(one.get_description())) + "\n.PP\n" + synopsis(one) +
            options_of_command(one);
  }
  return text;
}

std::string settings_section(const CLI::App& command) {
  std::string text = section("SETTINGS") + "Each as " + bold("--set") + " " + italic("KEY=VALUE") + ".\n", theme;
  for (const Option& setting : option_table()) {
    if (setting.subject == OptionSubject::job && command.get_name() == "explain") continue;
    if (setting.theme != theme) text += ".SS " + roff(setting.theme) + "\n";
    theme = setting.theme;
    text += entry(bold(setting.key + "=") + italic(setting.values), roff(setting.meaning));
  }
  return text;
}

// What the help says below the options; where settings stand there, they have a section of their own.
std::string footer_section(const CLI::App& command, bool settings) {
  const std::string footer = command.get_footer();
  const auto examples = footer.find("Example");
  std::string text;
  if (!settings && examples > 0) text += section("NOTES") + as_it_stands(footer.substr(0, examples));
  if (examples != std::string::npos)
    text += section("EXAMPLES") + as_it_stands(footer.substr(footer.find('\n', examples) + 1));
  return text;
}

std::string commands_section(const CLI::App& app) {
  std::string text = section("COMMANDS");
  for (const std::string& name : command_names(app))
    text += entry(bold("mlsim-" + name) + "(1)", roff(one_line(app.get_subcommand(name)->get_description())));
  return text;
}

constexpr const char* kEnvironment =
    ".SH ENVIRONMENT\n"
    ".TP\n\\fBMLSIM_CONFIG\\fR\nThe project file to read instead of \\fImlsim.yaml\\fR.\n"
    ".TP\n\\fBMLSIM_PRICES\\fR, \\fBMLSIM_TOPOLOGIES\\fR, \\fBMLSIM_WORKLOADS\\fR, \\fBMLSIM_PROFILES\\fR\n"
    "Own price lists, folders of machines and of models, and profiles, between colons.\n"
    ".SH FILES\n"
    ".TP\n\\fImlsim.yaml\\fR\nNames the own price lists, machines, models and profiles of a project, in the current "
    "folder.\n";

}  // namespace

std::string man_name(const CLI::App& app, const CLI::App& command) {
  return &command == &app ? "mlsim" : "mlsim-" + command.get_name();
}

std::string man_page(const CLI::App& app, const CLI::App& command) {
  const bool whole = &command == &app;
  const bool settings = command.get_option_no_throw("--set") != nullptr;
  const std::string name = man_name(app, command);
  std::string text = fmt::format(".TH \"{}\" 1 \"{}\" \"mlsim {}\" \"User Commands\"\n", roff(name),
                                 program_version().date, program_version().number);
  text += section("NAME") + roff(name) + " \\- " + roff(split(command.get_description(), '\n').front()) + "\n";
  text += section("SYNOPSIS") + synopsis(command);
  text += section("DESCRIPTION") + roff(one_line(command.get_description())) + "\n";
  if (whole) text += commands_section(app);
  text += options_section(command);
  if (settings) text += settings_section(command);
  if (!whole) text += footer_section(command, settings);
  text += section("EXIT STATUS") + kExitCodes + "\n" + kEnvironment;
  return text + section("SEE ALSO") + (whole ? bold("mlsim-predict") : bold("mlsim")) + "(1)\n";
}

}  // namespace mlsim::cli
