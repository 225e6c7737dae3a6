// `mlsim completion` writes the script that makes a shell ask `mlsim complete` for the words that may follow.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "cli/complete/completion_words.hpp"
#include "cli/program/command.hpp"
#include "cli/program/project.hpp"
#include "core/text/errors.hpp"

namespace mlsim::cli {
namespace {

// Readline takes for the word what stands behind the last '=' or ':' of it.
constexpr const char* kBash = R"(# Completion of mlsim in bash; written by `mlsim completion bash`.
_mlsim() {
  local line=${COMP_LINE:0:COMP_POINT} words word before
  IFS=$' \t' read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  before=${words[-1]%"${words[-1]##*[=:]}"}
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    if [[ $word == :files ]]; then
      compopt -o default 2>/dev/null
    else
      COMPREPLY+=("${word#"$before"}")
    fi
  done < <("${words[0]}" complete "${words[@]:1}" 2>/dev/null)
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[=:] ]]; then
    compopt -o nospace 2>/dev/null
  fi
  return 0
}
complete -F _mlsim mlsim
)";

constexpr const char* kZsh = R"(#compdef mlsim
# Completion of mlsim in zsh; written by `mlsim completion zsh`.
_mlsim() {
  local -a whole open
  local line files=
  for line in "${(@f)$("$words[1]" complete "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) files=1 ;;
      *[=:] | *[=:]$'\t'*) open+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
      *$'\t'*) whole+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
      *) whole+=("${line//:/\\:}") ;;
    esac
  done
  (( $#whole )) && _describe mlsim whole
  (( $#open )) && _describe mlsim open -S ''
  [[ -n $files ]] && _files
}
if [[ $funcstack[1] == _mlsim ]]; then
  _mlsim "$@"
else
  compdef _mlsim mlsim
fi
)";

constexpr const char* kFish = R"(# Completion of mlsim in fish; written by `mlsim completion fish`.
function __mlsim_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    for line in ($program complete $words "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c mlsim -f -a '(__mlsim_complete)'
)";

const std::map<std::string, const char*>& scripts() {
  static const std::map<std::string, const char*> all{{"bash", kBash}, {"fish", kFish}, {"zsh", kZsh}};
  return all;
}

int run_completion(const std::string& shell) {
  std::vector<std::string> known;
  for (const auto& script : scripts()) known.push_back(script.first);
  if (shell.empty()) throw InputError(fmt::format("completion needs to know the shell: {}", fmt::join(known, ", ")));
  if (scripts().count(shell) == 0) throw InputError(unknown_word("shell", shell, known));
  write_result({}, scripts().at(shell));
  return 0;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

int show_completions(const CLI::App& app, const std::vector<std::string>& words) {
  try {
    use_project();
  } catch (const InputError&) {  // the command itself will say so
  }
  const Completions found = completions(app, words);
  std::string lines;
  for (const auto& [word, description] : found.words)
    lines += description.empty() ? word + "\n" : fmt::format("{}\t{}\n", word, first_line(description));
  write_result({}, lines + (found.files ? ":files\n" : ""));
  return 0;
}

void add_completion(CLI::App& app, Action& action) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Writes what makes a shell complete mlsim's words");
  command->add_option("SHELL", *shell, "bash, zsh or fish")->type_name("NAME");
  command->footer(
      "Examples:\n"
      "  source <(mlsim completion bash)                                          in ~/.bashrc\n"
      "  mlsim completion zsh > \"${fpath[1]}/_mlsim\"                               once\n"
      "  mlsim completion fish > ~/.config/fish/completions/mlsim.fish            once");
  command->callback([shell, &action] { action = [shell] { return run_completion(*shell); }; });
}

}  // namespace mlsim::cli
