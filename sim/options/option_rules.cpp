#include "sim/options/option_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/text/errors.hpp"
#include "sim/options/option.hpp"
#include "sim/options/options_text.hpp"

namespace mlsim::sim {
namespace {

// `wanted` reads "data=real"; "jitter=" stands for any value.
bool holds(const Settings& settings, const std::string& wanted) {
  const auto equals = wanted.find('=');
  const auto found = settings.find(wanted.substr(0, equals));
  if (found == settings.end()) return false;
  return equals + 1 == wanted.size() || found->second == wanted.substr(equals + 1);
}

[[noreturn]] void refuse(const std::string& key, const std::string& value, const std::string& reason) {
  throw InputError(fmt::format("--set {}={}", key, value), reason);
}

void check_needs(const Option& option, const std::string& value, const Settings& settings) {
  const auto held = [&](const std::string& wanted) { return holds(settings, wanted); };
  if (option.needs.empty() || std::any_of(option.needs.begin(), option.needs.end(), held)) return;
  std::vector<std::string> words = option.needs;
  for (auto& word : words) word += word.back() == '=' ? "…" : "";
  refuse(option.key, value, fmt::format("changes nothing without {}", fmt::join(words, " or ")));
}

void check_conflicts(const Option& option, const std::string& value, const Settings& settings) {
  for (const OptionConflict& conflict : option.conflicts) {
    if ((!conflict.value.empty() && conflict.value != value) || !holds(settings, conflict.other)) continue;
    refuse(option.key, value,
           conflict.why.empty() ? fmt::format("changes nothing with {}", conflict.other)
                                : fmt::format("does not go with {}: {}", conflict.other, conflict.why));
  }
}

// Calls `check(option, value)` for each option that is set, in the order of the keys.
template <class Check>
void for_each_set(const Options& options, Check check) {
  for (const auto& [key, value] : settings_of(options)) check(find_option(key), value);
}

}  // namespace

void check_combinations(const Options& options) {
  const Settings settings = settings_of(options);
  for (const auto& [key, value] : settings) check_needs(find_option(key), value, settings);
  for (const auto& [key, value] : settings) check_conflicts(find_option(key), value, settings);
}

void check_jobless(const Options& options, bool says_goodput) {
  for_each_set(options, [=](const Option& option, const std::string& value) {
    if (option.needs_end && !(says_goodput && option.of_goodput))
      refuse(option.key, value,
             "is about a job, and nothing is known of the convergence of this workload; --set epochs=N gives the job a "
             "length, of a language model tokens=N too");
  });
}

void check_one_step(const Options& options, bool says_goodput) {
  for_each_set(options, [=](const Option& option, const std::string& value) {
    if (option.subject == OptionSubject::job && !(says_goodput && option.of_goodput))
      refuse(option.key, value,
             "is about the job and what it costs, and changes nothing of a step; `mlsim predict` takes it");
    if (option.subject == OptionSubject::many_steps)
      refuse(option.key, value,
             "is drawn anew for every step, and explain looks at one; `mlsim predict` shows the spread, and slow_rank "
             "and slow_host are explained");
  });
}

void check_collective(const Options& options) {
  for_each_set(options, [](const Option& option, const std::string& value) {
    if (!option.of_collective)
      refuse(option.key, value,
             "changes nothing for a collective by itself, which takes communicator, algorithm and engine");
  });
}

void check_axes(const Options& options, const Parallelism& parallelism) {
  for_each_set(options, [&](const Option& option, const std::string& value) {
    if (option.axis && parallelism[*option.axis] <= 1)
      refuse(option.key, value, fmt::format("changes nothing without --parallelism {}=N", name(*option.axis)));
  });
  if (const std::string& mesh = options.parallelism.mesh;
      !mesh.empty() && parallelism == data_parallel(parallelism.ranks()))
    refuse("mesh", mesh, "changes nothing where data is the only axis");
}

void check_exchanges(const Options& options, const StepPlan& step) {
  for_each_set(options, [&](const Option& option, const std::string& value) {
    if (option.needs_sharding && step.sharding == StateSharding::none)
      refuse(option.key, value,
             "changes nothing without sharding=optimizer, gradients or parameters on several data ranks");
    if (option.needs_overlap && !step.overlap)
      refuse(
          option.key, value,
          "changes nothing where gradients are exchanged behind the backward pass; with overlap=on they are under it");
  });
}

std::string idle_alone(const Options& options) {
  std::vector<std::string> idle;
  for_each_set(options, [&](const Option& option, const std::string& value) {
    if (option.of_ranks) idle.push_back(fmt::format("{}={}", option.key, value));
  });
  if (idle.empty()) return {};
  return fmt::format("one accelerator exchanges nothing: without effect {} {}", idle.size() == 1 ? "is" : "are",
                     fmt::join(idle, ", "));
}

}  // namespace mlsim::sim
