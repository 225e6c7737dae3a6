#include "cli/program/output_conflicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/command.hpp"
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

}  // namespace

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

}  // namespace mlsim::cli
