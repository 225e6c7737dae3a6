#include "workloads/model/file_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "workloads/model/expression.hpp"

namespace mlsim::workloads {
namespace {

std::vector<std::pair<std::string, Document>> definitions(const std::vector<Document>& files) {
  if (!files.back().has("parameters")) return {};
  auto defined = files.back().at("parameters").entries();
  for (const auto& [name, value] : defined) {
    if (!is_parameter_name(name) || name == "block_input") {
      throw value.error(fmt::format("\"{}\" cannot be a parameter; use letters, digits and _", name.substr(0, 80)));
    }
  }
  return defined;
}

InputError unknown_parameter(const std::string& place, const std::string& name, const std::vector<std::string>& known) {
  if (known.empty()) return {place, fmt::format("unknown parameter \"{}\"; the model has none", name)};
  return {place, unknown_word("parameter", name, known)};
}

}  // namespace

FileParameters::FileParameters(const std::vector<Document>& files, const ParameterOverrides& overrides,
                               const std::string& name) {
  auto defined = definitions(files);
  std::vector<std::string> known;
  for (const auto& definition : defined) known.push_back(definition.first);
  for (auto file = std::next(files.rbegin()); file != files.rend(); ++file) {
    if (!file->has("parameters")) continue;
    for (const auto& [key, value] : file->at("parameters").entries()) {
      const auto at = std::find(known.begin(), known.end(), key);
      if (at == known.end()) throw unknown_parameter(value.place(), key, known);
      defined[at - known.begin()].second = value;
    }
  }
  for (const auto& [key, value] : overrides) {
    if (std::find(known.begin(), known.end(), key) == known.end()) throw unknown_parameter(name, key, known);
  }
  for (const auto& [key, text] : defined) {
    const auto given = overrides.find(key);
    values_[key] = given == overrides.end() ? value(text, 0, std::numeric_limits<std::int64_t>::max()) : given->second;
    places_.emplace(key, text);
  }
}

std::int64_t FileParameters::value(const Document& count, std::int64_t lowest, std::int64_t highest) const {
  const std::string text = count.text();
  std::int64_t value = 0;
  try {
    value = expression_value(text, [this](const std::string& name) { return value_of(name); });
  } catch (const InputError& e) {
    throw count.error(e.reason());
  }
  if (value < lowest) throw count.error(fmt::format("{} is below the smallest possible value, {}", value, lowest));
  if (value > highest) throw count.error(fmt::format("{} is too large; at most {}", value, highest));
  return value;
}

int FileParameters::count(const Document& count, int lowest) const {
  return static_cast<int>(value(count, lowest, std::numeric_limits<int>::max()));
}

std::string FileParameters::text(const Document& text) const {
  const std::string pattern = text.text();
  std::string result;
  for (std::size_t at = 0; at < pattern.size();) {
    const auto open = pattern.find('{', at);
    const auto close = pattern.find('}', open);
    if (close == std::string::npos) return result + pattern.substr(at);
    const std::string name = pattern.substr(open + 1, close - open - 1);
    const auto found = values_.find(name);
    if (found == values_.end()) throw unknown_parameter(text.place(), name, names());
    result += pattern.substr(at, open - at) + std::to_string(found->second);
    at = close + 1;
  }
  return result;
}

void FileParameters::check_all_used() const {
  for (const auto& [name, place] : places_) {
    if (used_.count(name) == 0) throw place.error(fmt::format("no count of the file uses the parameter \"{}\"", name));
  }
}

std::int64_t FileParameters::value_of(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    if (values_.empty()) throw InputError(fmt::format("\"{}\" is not a whole number", name));
    throw InputError(unknown_word("parameter", name, names()));
  }
  used_.insert(name);
  return found->second;
}

std::vector<std::string> FileParameters::names() const {
  std::vector<std::string> names;
  for (const auto& entry : values_) names.push_back(entry.first);
  return names;
}

}  // namespace mlsim::workloads
