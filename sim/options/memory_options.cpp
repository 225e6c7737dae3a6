// These rows of the table tell what stays in an accelerator's memory, and what is computed again or shared out instead.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "core/text/split.hpp"
#include "sim/options/option.hpp"
#include "sim/options/option_values.hpp"

namespace mlsim::sim {
namespace {

std::vector<OptionConflict> sharding_conflicts() {
  std::vector<OptionConflict> conflicts;
  for (const std::string& value : names<StateSharding>()) {
    if (value == name(StateSharding::none)) continue;
    conflicts.push_back({value, "exchange=horovod", "Horovod sums gradients in all-reduces"});
    for (const std::string update : {"parameter_server", "distributed_replicated"})
      conflicts.push_back({value, "variable_update=" + update, "the servers add up and update"});
  }
  return conflicts;
}

ShardingRanks sharding_ranks(const std::string& text) {
  if (text == "all") return {};
  if (text == "node") return {false, true, 0};
  return {false, false, parse_count(text)};
}

std::string sharding_ranks_text(const ShardingRanks& ranks) {
  return ranks.all ? "all" : ranks.node ? "node" : fmt::format("{}", ranks.count);
}

// Reads modules that run again, "core_attn+mlp". Throws InputError with all words that recompute takes.
RecomputeModules recompute_modules(const std::string& text) {
  std::vector<std::string> known = names<Recompute>();
  const auto& modules = names<RecomputeModule>();
  known.insert(known.end(), modules.begin(), modules.end());
  RecomputeModules all;
  for (const std::string& word : split(text, '+')) {
    const auto found = std::find(modules.begin(), modules.end(), word);
    if (found == modules.end()) throw InputError(unknown_word("value", word, known));
    all.add(static_cast<RecomputeModule>(found - modules.begin()));
  }
  return all;
}

std::string text(const RecomputeModules& modules) {
  if (modules == MemoryOptions().recompute_modules) return "selective";
  std::vector<std::string> words;
  for (std::size_t i = 0; i < names<RecomputeModule>().size(); ++i)
    if (modules.has(static_cast<RecomputeModule>(i))) words.push_back(names<RecomputeModule>()[i]);
  return fmt::format("{}", fmt::join(words, "+"));
}

// Takes a word of Recompute or modules, and behind a colon in how many blocks they run again.
OptionValue recompute_value() {
  const auto read = [](Options& options, const std::string& whole) {
    MemoryOptions memory = options.memory;
    const auto colon = whole.find(':');
    const std::string what = whole.substr(0, colon);
    const auto& words = names<Recompute>();
    const auto found = std::find(words.begin(), words.end(), what);
    memory.recompute_modules = found == words.end() ? recompute_modules(what) : MemoryOptions().recompute_modules;
    memory.recompute = found == words.end() ? Recompute::selective : static_cast<Recompute>(found - words.begin());
    if (memory.recompute == Recompute::off && colon != std::string::npos)
      throw InputError(fmt::format("nothing runs again in \"{}\", so in no number of blocks", whole));
    memory.recompute_blocks = colon == std::string::npos ? 0 : parse_count(whole.substr(colon + 1));
    options.memory = memory;
  };
  const auto write = [](const Options& options) {
    const MemoryOptions& memory = options.memory;
    const std::string what =
        memory.recompute == Recompute::selective ? text(memory.recompute_modules) : std::string(name(memory.recompute));
    return what + (memory.recompute_blocks > 0 ? fmt::format(":{}", memory.recompute_blocks) : "");
  };
  return {read, write};
}

// Takes a share of the activations, "optimizer", or both: "0.5+optimizer".
OptionValue offload_value() {
  const auto read = [](Options& options, const std::string& text) {
    std::optional<double> share;
    bool optimizer = false;
    for (const std::string& word : text == "off" ? std::vector<std::string>() : split(text, '+')) {
      const bool number = !word.empty() && !std::isalpha(static_cast<unsigned char>(word.front()));
      if (!number && word != "optimizer")
        throw InputError(unknown_word("value", word, {"optimizer", "a share from 0 to 1"}));
      if (number ? share.has_value() : optimizer)
        throw InputError(fmt::format("\"{}\" says twice what is offloaded of the {}", text,
                                     number ? "activations" : "optimizer's state"));
      if (!number) {
        optimizer = true;
        continue;
      }
      share = parse_number(word);
      if (*share < 0 || *share > 1)
        throw InputError(fmt::format("a share of the activations is between 0 and 1, not {}", word));
    }
    options.memory.offload = {share.value_or(0), optimizer};
  };
  const auto write = [](const Options& options) -> std::string {
    const Offload& offload = options.memory.offload;
    if (offload.activations == 0) return offload.optimizer ? "optimizer" : "off";
    return fmt::format("{}{}", offload.activations, offload.optimizer ? "+optimizer" : "");
  };
  return {read, write};
}

}  // namespace

OptionTheme memory_options() {
  const auto at = [](auto step) { return member(&Options::memory, step); };
  return {
      {.key = "recompute",
       .values = "off | selective | full | MODULE[+MODULE...], each with :BLOCKS",
       .meaning = "what is not kept but runs forward again: nothing, attention between its operands and its result, "
                  "repeated blocks, or modules core_attn, mlp, moe, moe_act, layernorm, mla_up_proj of blocks; of each "
                  "stage's chunk in all blocks or so many",
       .value = recompute_value()},
      {.key = "accumulation",
       .values = "COUNT",
       .meaning = "split a rank's batch into so many micro-batches whose gradients add up",
       .value = count_up_to(at(&MemoryOptions::accumulation), 65536, "at most 65536 micro-batches"),
       .tells_apart = TellsApart::by_size},
      {.key = "sharding",
       .values = "none | optimizer | gradients | parameters",
       .meaning =
           "what data ranks share out: nothing, the optimizer's state (ZeRO-1), gradients too (ZeRO-2), parameters "
           "too (ZeRO-3, FSDP)",
       .value = worded(at(&MemoryOptions::sharding)),
       .conflicts = sharding_conflicts(),
       .of_ranks = true,
       .aliases = {{"sharded_update", {{"on", "optimizer"}, {"off", "none"}}}}},
      {.key = "sharding_ranks",
       .values = "all | node | COUNT",
       .meaning = "data ranks that share out the state, in groups that are replicas of one another (HSDP)",
       .value = value_of(at(&MemoryOptions::sharding_ranks), sharding_ranks, sharding_ranks_text),
       .of_ranks = true,
       .needs_sharding = true},
      {.key = "reshard",
       .values = "on | off",
       .meaning =
           "sharded parameters are freed behind the forward pass and gathered again; off on stages of a pipeline",
       .value = on_off(at(&MemoryOptions::reshard)),
       .needs = {"sharding=parameters"},
       .of_ranks = true},
      {.key = "offload",
       .values = "off | SHARE | optimizer | SHARE+optimizer",
       .meaning = "what lies in the host's memory meanwhile: this share of the activations, from 0 to 1, and the "
                  "optimizer's state, which the host then updates",
       .value = offload_value(),
       .conflicts = {{"optimizer", "variable_update=parameter_server", "the servers keep the state and update"},
                     {"optimizer", "variable_update=distributed_replicated", "the servers keep the state and update"}}},
  };
}

}  // namespace mlsim::sim
