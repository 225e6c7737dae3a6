#include "sim/options/option.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/errors.hpp"

namespace mlsim::sim {

const std::vector<Option>& option_table() {
  static const auto table = [] {
    std::vector<Option> all;
    const auto add = [&all](const std::string& theme, OptionTheme options, bool of_job = false) {
      for (auto& option : options) {
        option.theme = theme;
        if (of_job) {
          option.subject = OptionSubject::job;
          option.tells_apart = TellsApart::never;  // a job is made of the same steps
        }
        all.push_back(std::move(option));
      }
    };
    add("Software", software_options());
    add("Memory", memory_options());
    add("Exchange of gradients", exchange_options());
    add("Parallelism", parallelism_options());
    add("Input", input_options());
    add("Time to target", recipe_options());
    add("Time to target", job_options(), true);
    add("Failures and checkpoints", failure_options(), true);
    add("Money", price_options(), true);
    add("Energy", energy_options(), true);
    add("Defects of the machine", defect_options());
    add("Stragglers", straggler_options());
    return all;
  }();
  return table;
}

const Option& find_option(const std::string& key) {
  const auto& table = option_table();
  const auto found = std::find_if(table.begin(), table.end(), [&](const Option& option) {
    return option.key == key || std::any_of(option.aliases.begin(), option.aliases.end(),
                                            [&](const OptionAlias& alias) { return alias.key == key; });
  });
  if (found != table.end()) return *found;
  if (is_parallelism_word(key))
    throw InputError("--set " + key, fmt::format("is no setting but an axis or count of --parallelism {}=N", key));
  std::vector<std::string> keys;
  for (const Option& option : table) keys.push_back(option.key);
  throw InputError("--set", unknown_word("setting", key, keys));
}

std::string aliased_value(const Option& option, const std::string& key, const std::string& text) {
  for (const OptionAlias& alias : option.aliases) {
    if (alias.key != key || alias.words.empty()) continue;
    std::vector<std::string> known;
    for (const auto& [word, value] : alias.words) {
      if (word == text) return value;
      known.push_back(word);
    }
    throw InputError(unknown_word("value", text, known));
  }
  return text;
}

}  // namespace mlsim::sim
