// These rows of the table tell of the job: its target and clock, failures and checkpoints, money.
#include <fmt/format.h>

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "core/text/errors.hpp"
#include "sim/options/option.hpp"
#include "sim/options/option_values.hpp"
#include "topologies/price/prices.hpp"

namespace mlsim::sim {
namespace {

// A value outside these bounds is a slip of the keyboard: no job takes longer, no store is slower or faster.
constexpr Seconds kShortest(1e-3), kLongest = hours(1e6);
constexpr BytesPerSecond kSlowest(1e3), kFastest(1e15);

// A target is a number in the unit of the recipe's metric; of percents the sign may be typed.
template <class Member>
OptionValue target_number(Member at) {
  const auto read = [](const std::string& text) {
    const bool percent = text.ends_with('%');
    return parse_number(percent ? text.substr(0, text.find_last_not_of("% ") + 1) : text);
  };
  return value_of(at, read, [](double value) { return fmt::format("{}", value); });
}

std::vector<OptionConflict> without(std::initializer_list<const char*> others, const char* why) {
  std::vector<OptionConflict> conflicts;
  for (const char* other : others) conflicts.push_back({"", other, why});
  return conflicts;
}

constexpr const char* kEndsElsewhere = "the job ends after these, wherever it is then";
constexpr const char* kOneLength = "a job has one length";

// Lengths of a job are written 300B, 15T: with k, M, G or B, T for 1e3, 1e6, 1e9, 1e12.
double parse_length(const std::string& text) {
  static const std::map<char, double> suffixes{{'k', 1e3}, {'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'B', 1e9}, {'T', 1e12}};
  const auto suffix = text.empty() ? suffixes.end() : suffixes.find(text.back());
  const bool with = suffix != suffixes.end();
  const double length = parse_number(with ? text.substr(0, text.size() - 1) : text) * (with ? suffix->second : 1);
  if (length < 1 || length > 1e18) throw InputError(fmt::format("must be between 1 and 1e18, not {}", text));
  return length;
}

template <class Member>
OptionValue length_of(Member at) {
  return value_of(at, parse_length, [](double length) { return fmt::format("{}", length); });
}

}  // namespace

OptionTheme recipe_options() {
  return {
      {.key = "recipe",
       .values = "NAME",
       .meaning = "convergence recipe, as `mlsim list recipes` names them: samples to target against batch",
       .value = text_of(member(&Options::job, &JobOptions::recipe)),
       .tells_apart = TellsApart::never},  // a step is the same on the way to any target
      {.key = "target",
       .values = "NUMBER",
       .meaning = "train to this, in percent or the metric's unit, which some recipe has to reach: target=76",
       .value = target_number(member(&Options::job, &JobOptions::target)),
       .conflicts = without({"epochs=", "samples=", "steps=", "tokens="}, kEndsElsewhere),
       .tells_apart = TellsApart::never},
      {.key = "target_loss",
       .values = "NUMBER",
       .meaning = "the same as a loss",
       .value = target_number(member(&Options::job, &JobOptions::target_loss)),
       .conflicts = {{"", "epochs=", kEndsElsewhere},
                     {"", "samples=", kEndsElsewhere},
                     {"", "steps=", kEndsElsewhere},
                     {"", "target=", "a run ends at one of them"}},
       .tells_apart = TellsApart::never},
      {.key = "learning_rate",
       .values = "NUMBER",
       .meaning = "that of the recipe, before or after its scaling; the epochs to a target hold for no other",
       .value = number_between(member(&Options::job, &JobOptions::learning_rate), 1e-12, 1e6),
       .tells_apart = TellsApart::never},
  };
}

OptionTheme job_options() {
  const auto at = [](auto step) { return member(&Options::job, step); };
  return {
      {"epochs", "NUMBER", "train this many epochs instead of to the target; for any workload",
       number_between(at(&JobOptions::epochs), 1e-6, 1e6)},
      {.key = "tokens",
       .values = "NUMBER[k|M|G|T]",
       .meaning = "train a language model on so many tokens: tokens=15T",
       .value = length_of(at(&JobOptions::tokens)),
       .conflicts = without({"epochs=", "samples=", "steps="}, kOneLength)},
      {.key = "overrun",
       .values = "SHARE",
       .meaning =
           "time that a training of a given length takes beyond its steps, as a share of them; else as on record",
       .value = number_between(at(&JobOptions::overrun), 0, 100),
       .needs = {"tokens=", "epochs=", "samples=", "steps="}},
      {.key = "samples",
       .values = "NUMBER[k|M|G|T]",
       .meaning = "train on so many samples instead of to the target: samples=400M",
       .value = length_of(at(&JobOptions::samples)),
       .conflicts = without({"epochs="}, kOneLength)},
      {.key = "steps",
       .values = "NUMBER[k|M|G|T]",
       .meaning = "train so many steps of the global batch instead of to the target: steps=500k",
       .value = length_of(at(&JobOptions::steps)),
       .conflicts = without({"epochs=", "samples="}, kOneLength)},
      {.key = "throughput",
       .values = "NUMBER",
       .meaning = "samples/s that you have measured, for job and cost in place of the simulated step's",
       .value = number_between(at(&JobOptions::throughput), 1e-6, 1e12),
       .needs_end = true},
      {.key = "evaluation",
       .values = "on | off",
       .meaning = "evaluate while training, or train only",
       .value = on_off(at(&JobOptions::evaluate)),
       .needs_end = true},
      {.key = "clock",
       .values = "mlperf | wall",
       .meaning = "whether time to target leaves initialisation out or counts it",
       .value = word_of(at(&JobOptions::clock), names<ClockRule>()),
       .needs_end = true},
  };
}

// A time between failures is that of a cluster on record, by its name, or the user's own.
OptionValue time_between_failures() {
  const OptionValue own =
      quantity_between(member(&Options::failures, &FailureOptions::time_between_failures), kShortest, kLongest);
  const auto parse = [own](Options& options, const std::string& text) {
    std::vector<std::string> known;
    for (const FailureRecord& record : failure_records()) {
      known.push_back(record.name);
      if (record.name != text) continue;
      options.failures.time_between_failures = record.time_between_failures;
      return;
    }
    if (text.find_first_of("0123456789") != 0 && text.find_first_of("+-.") != 0)
      throw InputError(unknown_word("cluster on record", text, known));
    own.parse(options, text);
  };
  return {parse, own.print};
}

OptionTheme failure_options() {
  const auto at = [](auto step) { return member(&Options::failures, step); };
  return {
      {.key = "failures",
       .values = "off | on",
       .meaning = "let accelerators fail at the published rate",
       .value = spelled(at(&FailureOptions::failures), {{"off", false}, {"on", true}}),
       .needs_end = true,
       .of_goodput = true},
      {.key = "time_between_failures",
       .values = "TIME | llama3 | rsc-1 | rsc-2 | b200-504",
       .meaning = "of one accelerator with its share of the system, \"50700 h\", or that of a cluster on record",
       .value = time_between_failures(),
       .needs = {"failures=on", "checkpoint=on"},
       .of_goodput = true},
      {.key = "spares",
       .values = "COUNT",
       .meaning = "nodes that stand by for broken ones; with none the job waits for repairs; else as many as it takes",
       .value = number_between(at(&FailureOptions::spares), 0, 1e6),
       .needs = {"failures=on"},
       .needs_end = true,
       .of_goodput = true},
      {.key = "repair_time",
       .values = "TIME",
       .meaning = "until a broken node stands by again",
       .value = quantity_between(at(&FailureOptions::repair), kShortest, kLongest),
       .needs = {"spares="},
       .needs_end = true,
       .of_goodput = true},
      {.key = "restart_time",
       .values = "TIME",
       .meaning = "from a failure or preemption to training on",
       .value = quantity_between(at(&FailureOptions::restart), Seconds(0), kLongest),
       .needs = {"failures=on", "price=preemptible"},
       .needs_end = true,
       .of_goodput = true},
      {.key = "preemption_rate",
       .values = "NUMBER",
       .meaning = "preemptions of one machine in an hour, with price=preemptible",
       .value = number_between(at(&FailureOptions::preemptions_per_vm_hour), 0, 3600),
       .needs = {"price=preemptible"},
       .needs_end = true},
      {.key = "checkpoint",
       .values = "auto | on | off",
       .meaning = "write checkpoints; auto writes them where something may fail",
       .value =
           spelled(at(&FailureOptions::checkpoint),
                   {{"auto", CheckpointRule::automatic}, {"on", CheckpointRule::on}, {"off", CheckpointRule::off}}),
       .needs_end = true},
      {.key = "checkpoint_interval",
       .values = "TIME",
       .meaning = "work between checkpoints; else Daly's optimum",
       .value = quantity_between(at(&FailureOptions::checkpoint_interval), kShortest, kLongest),
       .conflicts = {{"", "checkpoint=off", ""}},
       .needs_end = true,
       .of_goodput = true},
      {.key = "checkpoint_bandwidth",
       .values = "RATE",
       .meaning = "at which a checkpoint is written, \"1 GB/s\"; else 1 GB/s, of a language model 2 TB/s from 16 384 "
                  "accelerators",
       .value = quantity_between(at(&FailureOptions::checkpoint_bandwidth), kSlowest, kFastest),
       .needs = {"checkpoint=on", "checkpoint_interval=", "failures=on", "price=preemptible"},
       .of_goodput = true},
  };
}

OptionTheme price_options() {
  const auto at = [](auto step) { return member(&Options::price, step); };
  return {
      {"price", "on-demand | preemptible", "which price to pay",
       word_of(at(&PriceOptions::kind), {"on-demand", "preemptible"})},
      {"price_date", "YYYY-MM[-DD]", "pay the price of that time instead of the newest; --price-date is the same",
       value_of(
           at(&PriceOptions::date), [](const std::string& t) { return parse_date_span(t); },
           [](const DateSpan& span) { return text(span); })},
      {"price_region", "NAME", "pay the price of that region, as `mlsim list prices` names them",
       text_of(at(&PriceOptions::region), price_regions)},
      {.key = "own_price",
       .values = "NAME=PRICE[/UNIT][:KIND]",
       .meaning = "pay a price of your own for a machine, an accelerator or a resource; --price is the same",
       .value = list_of(at(&PriceOptions::own), parse_own_price, [](const OwnPrice& price) { return text(price); }),
       .adds_up = true},
      {.key = "billing",
       .values = "second | minute | hour",
       .meaning = "what a provider rounds up to",
       .value = word_of(at(&PriceOptions::billing), names<Billing>()),
       .needs_end = true},
      {.key = "teardown",
       .values = "TIME",
       .meaning = "machines held after the clock, billed",
       .value = quantity_between(at(&PriceOptions::teardown), Seconds(0), kLongest),
       .needs_end = true},
  };
}

OptionTheme energy_options() {
  const auto at = [](auto step) { return member(&Options::energy, step); };
  return {
      {"pue", "NUMBER", "power at the building's meter over that of the accelerators",
       number_between(at(&EnergyOptions::pue), 1, 10)},
      {"carbon_intensity", "NUMBER", "of the grid, kg of CO2 equivalent for a kWh",
       number_between(at(&EnergyOptions::carbon_intensity), 0, 10)},
      {"load", "NUMBER", "share of their rated power that accelerators draw while they train",
       number_between(at(&EnergyOptions::load), 0, 2)},
  };
}

}  // namespace mlsim::sim
