#include "command_words.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

namespace mlsim::test {
namespace {

std::string answer(const CommandRunner& runner, const std::vector<std::string>& arguments) {
  const CommandRun run = runner.run(arguments);
  if (run.code != 0 || run.out.empty())
    throw std::runtime_error(shell_line(arguments) + " does not answer: " + run.err);
  return run.out;
}

std::vector<std::string> listed(const CommandRunner& runner, const std::string& what, const char* key) {
  std::set<std::string> names;
  for (const auto& entry : nlohmann::json::parse(answer(runner, {"list", what, "--format", "json"})))
    names.insert(entry.at(key).get<std::string>());
  return {names.begin(), names.end()};
}

std::vector<std::string> stacks(const CommandRunner& runner) {
  std::set<std::string> names;
  for (const auto& profile : nlohmann::json::parse(answer(runner, {"list", "profiles", "--format", "json"})))
    for (const auto& stack : profile.at("stacks")) names.insert(stack.at("stack").get<std::string>());
  return {names.begin(), names.end()};
}

bool is_key(const std::string& word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

std::vector<std::string> forms_in(const std::string& text) {
  std::vector<std::string> forms;
  std::istringstream in(text.substr(0, text.find("[,")));
  for (std::string form; std::getline(in, form, '|');) forms.push_back(form);
  return forms;
}

// "   overlap=on|off               exchange gradients ..." below "Settings, each --set KEY=VALUE:".
std::map<std::string, std::vector<std::string>> settings(const std::string& help) {
  std::map<std::string, std::vector<std::string>> found;
  std::istringstream in(help.substr(std::min(help.size(), help.find("Settings, each"))));
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("   ") || line.starts_with("    ")) continue;
    std::istringstream words(line);
    std::string word;
    words >> word;
    const auto equals = word.find('=');
    if (equals != std::string::npos && is_key(word.substr(0, equals)))
      found[word.substr(0, equals)] = forms_in(word.substr(equals + 1));
  }
  if (found.size() < 40) throw std::runtime_error("the help of predict lists hardly any settings");
  return found;
}

std::map<std::string, std::vector<std::string>> files_by_reader(const std::string& seeds) {
  std::map<std::string, std::vector<std::string>> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(seeds))
    if (entry.is_regular_file()) found[entry.path().parent_path().filename().string()].push_back(entry.path().string());
  for (auto& [reader, files] : found) std::sort(files.begin(), files.end());
  return found;
}

}  // namespace

CommandWords command_words(const CommandRunner& runner, const std::string& seeds) {
  CommandWords words;
  words.files = files_by_reader(seeds);
  words.topologies = listed(runner, "topologies", "name");
  words.workloads = listed(runner, "workloads", "name");
  words.accelerators = listed(runner, "accelerators", "name");
  words.recipes = listed(runner, "recipes", "name");
  words.algorithms = listed(runner, "collectives", "algorithm");
  words.stacks = stacks(runner);
  words.settings = settings(answer(runner, {"predict", "--help"}));
  return words;
}

}  // namespace mlsim::test
