#include "cli/complete/completion_words.hpp"

#include <algorithm>
#include <cctype>
#include <functional>

#include "cli/program/command.hpp"
#include "core/kernel/precision.hpp"
#include "core/profile/collective_name.hpp"
#include "core/text/split.hpp"
#include "sim/options/option.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "topologies/machine/accelerator_file.hpp"
#include "topologies/system_facts.hpp"
#include "validation/cases/cases.hpp"
#include "workloads/lowering/parallelism.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::cli {
namespace {

using Candidates = std::vector<Completion>;

Candidates candidates_of(const std::vector<std::string>& words) {
  Candidates all;
  for (const auto& word : words) all.push_back({word, ""});
  return all;
}

Candidates topology_candidates() {
  Candidates all;
  for (const TopologyEntry& entry : topology_entries()) all.push_back({entry.name, entry.description});
  return all;
}

// Networks, and collectives by themselves, whose payload is still to be typed.
std::vector<std::string> workload_words() {
  std::vector<std::string> words = model_names();
  for (const std::string& kind : lone_collectives()) words.push_back(kind + ":payload=");
  return words;
}

std::vector<std::string> published_ids() {
  std::vector<std::string> ids;
  for (const Case& run : published_cases()) ids.push_back(run.id);
  return ids;
}

// The values to type are "on" and "off" of "on | off", none of "TIME".
std::vector<std::string> values_to_type(const Option& setting) {
  std::vector<std::string> values;
  for (std::string value : split(setting.values, '|')) {
    std::erase(value, ' ');
    if (std::none_of(value.begin(), value.end(), [](unsigned char c) { return std::isupper(c) || c > 126; }))
      values.push_back(value);
  }
  return values;
}

// Candidates are "price=" until a key is there, then "price=on-demand".
Candidates setting_candidates(const CLI::App& command, const std::string& typed) {
  Candidates all;
  const std::string key = typed.substr(0, typed.find('='));
  for (const Option& setting : option_table()) {
    if (setting.subject == OptionSubject::job && command.get_name() == "explain") continue;
    if (key == typed)
      all.push_back({setting.key + "=", setting.meaning});
    else if (setting.key == key)
      for (const auto& value : values_to_type(setting)) all.push_back({key + "=" + value, ""});
  }
  return all;
}

// Candidates go on behind the last comma: "tensor=8,pipeline=".
Candidates parallelism_candidates(const CLI::App&, const std::string& typed) {
  Candidates all;
  const auto comma = typed.rfind(',');
  const std::string before = comma == std::string::npos ? "" : typed.substr(0, comma + 1);
  if (before.empty()) all.push_back({std::string(workloads::kAutomaticParallelism), "search for the quickest"});
  for (const workloads::ParallelismWord& word : workloads::parallelism_words())
    all.push_back({before + word.name + "=", word.meaning});
  return all;
}

// A `ValueSource` gives the words of an option, of one command or, where none is named, of all.
struct ValueSource {
  std::string command, option;
  std::function<Candidates(const CLI::App& command, const std::string& typed)> words;
};

template <class Words>
ValueSource source(const std::string& command, const std::string& option, Words words) {
  return {command, option, [words](const CLI::App&, const std::string&) {
            if constexpr (std::is_same_v<decltype(words()), Candidates>)
              return words();
            else
              return candidates_of(words());
          }};
}

ValueSource fixed(const std::string& command, const std::string& option, std::vector<std::string> words) {
  return source(command, option, [words = std::move(words)] { return words; });
}

Candidates command_candidates(const CLI::App& command, const std::string&) {
  return candidates_of(command_names(*command.get_parent()));
}

const std::vector<ValueSource>& sources() {
  static const std::vector<ValueSource> all{
      source("", "--topology", topology_candidates),
      source("import", "--complete-on", topology_candidates),
      source("compare", "COLUMN", topology_candidates),
      source("", "--workload", workload_words),
      source("", "--accelerator", accelerator_names),
      source("", "--like", published_ids),
      source("list", "--cloud", cloud_names),
      source("", "--precision", names<Precision>),
      source("", "--fidelity", names<Fidelity>),
      {"", "--set", setting_candidates},
      fixed("replay", "--parallelism", {"data=", "pipeline="}),
      {"", "--parallelism", parallelism_candidates},
      fixed("sweep", "--format", {"sqlite", "csv", "jsonl"}),
      fixed("validate published", "--format", {"text", "json", "markdown"}),
      fixed("validate questions", "--format", {"text", "json", "markdown"}),
      fixed("validate trace", "--format", {"text", "json", "markdown"}),
      fixed("validate anchors", "--format", {"text"}),
      fixed("validate speeds", "--format", {"text"}),
      fixed("validate rates", "--format", {"text"}),
      fixed("validate unseen", "--format", {"text"}),
      fixed("report", "--format", {"html", "markdown"}),
      fixed("", "--format", {"text", "json"}),
      fixed("", "--device", {"cpu", "cuda"}),
      fixed("list", "what",
            {"workloads", "recipes", "topologies", "accelerators", "profiles", "prices", "collectives"}),
      fixed("replay", "--backend", {"gloo", "mpi"}),
      fixed("completion", "SHELL", {"bash", "zsh", "fish"}),
      {"help", "COMMAND", command_candidates}};
  return all;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

const CLI::Option* option_named(const CLI::App& command, const std::string& word) {
  return word.starts_with("-") ? command.get_option_no_throw(word) : nullptr;
}

// Completion goes on with the last of a list of values; those before stay as they are.
std::size_t start_of_last(const CLI::App& command, const std::string& typed) {
  const bool lists = command.get_name() == "sweep" || command.get_name() == "plan";
  const auto separator = lists ? typed.find_last_of(",|") : std::string::npos;
  return separator == std::string::npos ? 0 : separator + 1;
}

// `before` stands before what was typed of the value, "--topology=".
Completions values_of(const CLI::App& command, const CLI::Option& option, const std::string& typed,
                      const std::string& before = "") {
  Completions found;
  found.files = option.get_type_name().find("FILE") != std::string::npos;
  for (const ValueSource& one : sources()) {
    if (one.option != shown_name(option) || (!one.command.empty() && one.command != command_words(command))) continue;
    const std::size_t start = start_of_last(command, typed);
    const std::string key = shown_name(option) == "--set" && start > 0 ? typed.substr(0, typed.find('=') + 1) : "";
    const std::string last = key + typed.substr(start);
    for (const Completion& value : one.words(command, last))
      found.words.push_back({before + typed.substr(0, start) + value.word.substr(key.size()), value.description});
    return found;
  }
  return found;
}

Completions options_of(const CLI::App& command) {
  Completions found;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_group().empty() && !option->get_lnames().empty())
      found.words.push_back({"--" + option->get_lnames().front(), option->get_description()});
  }
  return found;
}

Completions commands_of(const CLI::App& app) {
  Completions found;
  for (const std::string& name : command_names(app))
    found.words.push_back({name, app.get_subcommand(name)->get_description()});
  return found;
}

Completions places_of(const CLI::App& command, const std::string& typed) {
  const CLI::Option* const option = positional_option(command);
  return option == nullptr ? Completions() : values_of(command, *option, typed);
}

// Returns --set where one of its settings was the last word, so that another may follow; null elsewhere.
const CLI::Option* settings_before(const CLI::App& command, const std::vector<std::string>& words) {
  const auto last = std::find_if_not(words.rbegin(), words.rend(), looks_like_setting);
  if (last == words.rbegin() || last == words.rend() || *last != "--set") return nullptr;
  return takes_settings_in_a_row(command) ? command.get_option_no_throw("--set") : nullptr;
}

// `words` are those behind the program's name.
Completions possible(const CLI::App& app, std::vector<std::string> words) {
  const std::string typed = words.back();
  words.pop_back();
  const CLI::App& command = named_command(app, words);
  const CLI::Option* const open = words.empty() ? nullptr : option_named(command, words.back());
  if (open != nullptr && takes_value(*open)) return values_of(command, *open, typed);
  if (const CLI::Option* settings = settings_before(command, words); settings != nullptr && !typed.starts_with("-"))
    return values_of(command, *settings, typed);
  if (const auto equals = typed.find('='); typed.starts_with("--") && equals != std::string::npos) {
    const CLI::Option* const option = option_named(command, typed.substr(0, equals));
    return option == nullptr ? Completions()
                             : values_of(command, *option, typed.substr(equals + 1), typed.substr(0, equals + 1));
  }
  if (typed.starts_with("-")) return options_of(command);
  if (command_names(command).empty()) return places_of(command, typed);
  return words.empty() ? commands_of(command) : Completions();
}

}  // namespace

Completions completions(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty()) return commands_of(app);
  Completions found = possible(app, words);
  std::erase_if(found.words, [&](const Completion& one) { return !one.word.starts_with(words.back()); });
  return found;
}

}  // namespace mlsim::cli
