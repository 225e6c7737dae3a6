// The questions of the examples under examples/, read from their commands.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "scratch_folder.hpp"
#include "sim/options/options_text.hpp"
#include "sim/plan/request.hpp"
#include "tests/namespace.hpp"

namespace mlsim::test {

struct ExampleRequest {
  std::filesystem::path folder;  // which the request's files are named from
  std::string verb;              // "predict"
  sim::PredictRequest request;   // of the user's profiles alone
};

/// As a shell splits a line: at spaces outside double quotes.
inline std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

/// From the options of `mlsim predict`; throws InputError for one that it does not know.
inline sim::PredictRequest request_of(const std::filesystem::path& folder, std::vector<std::string> words) {
  sim::PredictRequest request;
  request.as_is = std::erase(words, "--as-is") > 0;
  std::vector<Profile> profiles;
  std::string settings;
  for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
    const std::string &option = words[i], &value = words[i + 1];
    if (option == "--topology") {
      request.topology = value;
    } else if (option == "--workload") {
      request.workload = value;
    } else if (option == "--accelerators") {
      request.accelerators = static_cast<int>(parse_count(value));
    } else if (option == "--global-batch") {
      request.global_batch = parse_number(value);
    } else if (option == "--batch-per-accelerator") {
      request.batch_per_accelerator = parse_number(value);
    } else if (option == "--parallelism") {
      request.parallelism = value;
    } else if (option == "--precision") {
      request.precision = parse<Precision>(value);
    } else if (option == "--profile") {
      profiles.push_back(profile_from_json(text_of((folder / value).string()), value));
    } else if (option == "--seed") {
      request.seed = parse_count(value, 0);
    } else if (option == "--set" || option == "--price-date") {
      settings += (option == "--set" ? value : "price_date=" + value) + ";";
      for (; i + 2 < words.size() && !words[i + 2].starts_with("--"); ++i) settings += words[i + 2] + ";";
    } else {
      throw InputError(option, "is not among the options of the examples");
    }
  }
  request.options = sim::parse_options(settings);
  request.own_profiles = std::move(profiles);
  return request;
}

/// Those that ask `mlsim predict` or `mlsim explain`, in the order of their folders.
inline std::vector<ExampleRequest> example_requests() {
  std::vector<ExampleRequest> found;
  for (const auto& entry : std::filesystem::directory_iterator(MLSIM_SOURCE_DIR "/examples")) {
    if (!entry.is_directory()) continue;
    const std::string command = text_of((entry.path() / "command").string());
    const auto words = shell_words(command.substr(0, command.find('\n')));
    if (words.size() < 2 || (words[1] != "predict" && words[1] != "explain")) continue;
    found.push_back({entry.path(), words[1], request_of(entry.path(), words)});
  }
  return found;
}

}  // namespace mlsim::test
