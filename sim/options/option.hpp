// An `Option` is a setting: key, values, meaning, what it needs and excludes, and how text becomes a member of Options.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/namespace.hpp"
#include "sim/options/options.hpp"
#include "workloads/lowering/parallelism.hpp"

namespace mlsim::sim {

/// An `OptionValue` goes from text into its member and back.
struct OptionValue {
  std::function<void(Options&, const std::string&)> parse;  // throws InputError without a place
  std::function<std::string(const Options&)> print;         // parse takes it; empty where nothing was said
};

/// An option tells of a step, of the job that such steps make and what it costs, or of the spread of many steps.
enum class OptionSubject { step, job, many_steps };

/// Where this option is `value` (empty: any), `other` ("exchange=horovod") makes it void.
struct OptionConflict {
  std::string value, other;
  std::string why;  // empty: it would change nothing
};

/// Whether a run that was set otherwise tells less of a question: always, or only where the question names the setting.
/// How a batch is split and the software have distances of their own, by_size and by_stack. With `never`, what stands
/// beside it says why the step of another value is as good a guide.
enum class TellsApart { always, where_named, by_size, by_stack, never };

/// An alias is another key of an option, with other words for its values; without any it takes the option's own.
struct OptionAlias {
  std::string key;
  std::vector<std::pair<std::string, std::string>> words = {};
};

struct Option {
  std::string key;
  std::string values;   // "on | off", as the help shows them
  std::string meaning;  // one clause for the help
  OptionValue value;
  std::vector<std::string> needs = {};  // at least one of these: "data=real", or "jitter=" for any value
  std::vector<OptionConflict> conflicts = {};
  OptionSubject subject = OptionSubject::step;
  bool needs_end = false;         // counts only where the job has an end: a target, or epochs
  std::optional<Axis> axis = {};  // counts only where this axis is longer than 1
  bool of_ranks = false;          // counts only where several accelerators exchange,
  bool needs_sharding = false;    // and these only where they share out the state of the optimizer,
  bool needs_overlap = false;     // or where exchanges run beside kernels
  bool of_collective = false;     // counts for a collective by itself
  bool of_goodput = false;        // counts where goodput is said, whether the job has an end or not
  bool adds_up = false;           // may be given several times
  TellsApart tells_apart = TellsApart::always;
  std::vector<OptionAlias> aliases = {};
  std::string theme = {};  // heading of the help
};

/// The table holds all options; those of one theme stand together.
const std::vector<Option>& option_table();

/// Returns the option of that key or alias. Throws InputError with the nearest key.
const Option& find_option(const std::string& key);
/// Returns the value of `option` that `text` under `key`, which may be an alias, stands for. Throws InputError without
/// a place.
std::string aliased_value(const Option& option, const std::string& key, const std::string& text);

/// An `OptionTheme` has rows of the table of options; these are all themes.
using OptionTheme = std::vector<Option>;

OptionTheme software_options();
OptionTheme memory_options();
OptionTheme exchange_options();
OptionTheme parallelism_options();
OptionTheme input_options();
OptionTheme recipe_options();
OptionTheme job_options();
OptionTheme failure_options();
OptionTheme price_options();
OptionTheme energy_options();
OptionTheme defect_options();
OptionTheme straggler_options();

}  // namespace mlsim::sim
