#include "sim/options/options_text.hpp"

#include <fmt/format.h>

#include <map>

#include "core/text/errors.hpp"
#include "core/text/split.hpp"
#include "sim/options/option.hpp"

namespace mlsim::sim {
namespace {

// The text is "key=value;key=value"; keys and values are not looked up here.
Settings split_settings(const std::string& text) {
  Settings settings;
  for (const auto& item : split(text, ';')) {
    const auto equals = item.find('=');
    const auto first = item.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    if (equals == std::string::npos || equals == first || equals + 1 == item.size())
      throw InputError("--set", fmt::format("\"{}\" is not of the form key=value", item.substr(0, 80)));
    const std::string key = item.substr(first, equals - first);
    if (const std::string& own = find_option(key).key; own != key && settings.contains(own))
      throw InputError("--set", fmt::format("\"{}\" and \"{}\" say the same thing twice", own, key));
    const std::string value = item.substr(equals + 1);
    if (settings.contains(key) && !find_option(key).adds_up)
      throw InputError("--set", fmt::format("\"{}\" is given twice", key));
    auto& slot = settings[key];
    slot = slot.empty() ? value : slot + "," + value;
  }
  return settings;
}

// The texts are stored by key, as the table prints them.
const std::map<std::string, std::string>& default_texts() {
  static const auto texts = [] {
    std::map<std::string, std::string> all;
    const Options options;
    for (const Option& option : option_table()) all.emplace(option.key, option.value.print(options));
    return all;
  }();
  return texts;
}

}  // namespace

Options parse_options(const std::string& text) { return options_of(split_settings(text)); }

Options options_of(const Settings& settings) {
  Options options;
  for (const auto& [key, text] : settings) set_option(options, key, text);
  return options;
}

void set_option(Options& options, const std::string& key, const std::string& text) {
  const Option& option = find_option(key);
  try {
    option.value.parse(options, aliased_value(option, key, text));
  } catch (const InputError& e) {
    throw InputError(fmt::format("--set {}={}", key, text), e.reason());
  }
  const std::string canonical = option.value.print(options);
  options.given[option.key] = {key == option.key ? text : canonical, canonical};
}

Settings settings_of(const Options& options) {
  Settings settings;
  for (const Option& option : option_table()) {
    const std::string text = option.value.print(options);
    const auto given = options.given.find(option.key);
    if (given != options.given.end() && given->second.canonical == text) {
      settings[option.key] = given->second.text;
    } else if (text != default_texts().at(option.key)) {
      settings[option.key] = text;
    }
  }
  return settings;
}

}  // namespace mlsim::sim
