#include "sim/options/option.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

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

namespace {

// Says where a question tells what people look for among the settings; empty where nothing else does.
std::optional<std::string> place_of(const std::string& key) {
  static const std::map<std::string_view, std::string_view> options{
      {"accelerators", "--accelerators N"},
      {"batch", "--global-batch N"},
      {"batch_per_accelerator", "--batch-per-accelerator N"},
      {"fidelity", "--fidelity NAME"},
      {"global_batch", "--global-batch N"},
      {"parallelism", "--parallelism SPLIT"},
      {"precision", "--precision NAME"},
      {"topology", "--topology NAME"},
      {"workload", "--workload NAME"}};
  static const std::set<std::string_view> of_models{
      "dense_layers", "expert_ffn", "experts", "experts_per_token", "ffn",      "head_size",      "heads",
      "hidden",       "kv_heads",   "layers",  "lora_rank",         "sequence", "shared_experts", "vocabulary"};
  if (const auto found = options.find(key); found != options.end()) return fmt::format("an option: {}", found->second);
  if (of_models.contains(key)) return fmt::format("a parameter of the workload: --workload NAME:{}=N", key);
  return std::nullopt;
}

}  // namespace

const Option& find_option(const std::string& key) {
  const auto& table = option_table();
  static const auto by_key = [&] {
    std::unordered_map<std::string_view, const Option*> all;
    for (const Option& option : table) {
      all.emplace(option.key, &option);
      for (const OptionAlias& alias : option.aliases) all.emplace(alias.key, &option);
    }
    return all;
  }();
  if (const auto found = by_key.find(key); found != by_key.end()) return *found->second;
  if (is_parallelism_word(key))
    throw InputError("--set " + key, fmt::format("is no setting but an axis or count of --parallelism {}=N", key));
  if (const auto place = place_of(key)) throw InputError("--set " + key, "is no setting but " + *place);
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
