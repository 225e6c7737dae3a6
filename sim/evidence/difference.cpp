#include "sim/evidence/difference.hpp"

#include <cmath>

#include "sim/options/option.hpp"

namespace mlsim::sim {
namespace {

bool is_half(Precision precision) { return precision == Precision::fp16 || precision == Precision::bf16; }

bool runs_alike(const ChipTraits& chip, std::optional<Precision> a, std::optional<Precision> b) {
  return !a || !b || a == b || (chip.one_narrow_rate && is_half(*a) && is_half(*b));
}

// Within one code base the nearest round comes first; the distance stays below 1, which is another code base.
double round_distance(const StackName& asked, const StackName& run) {
  if (!asked.code_base.starts_with(run.code_base) && !run.code_base.starts_with(asked.code_base)) return 1;
  const double apart = asked.round && run.round ? std::abs(*asked.round - *run.round) : 0;
  return 1 - 0.5 / (1 + apart);
}

// Where the question names no stack, a run that names none was asked for in the same words.
double stack_distance(const RunTraits& asked, const RunTraits& run) {
  if (run.stack.name == asked.stack.name) return 0;
  if (asked.stack.name.empty()) return run.stack.name == asked.stack_in_use ? 0.5 : 1;
  return round_distance(asked.stack, run.stack);
}

void add_settings(Difference& found, const RunTraits& asked, const RunTraits& run) {
  const std::vector<Option>& table = option_table();
  for (std::size_t i = 0; i < asked.settings.size() && i < run.settings.size(); ++i) {
    if (asked.settings[i] == run.settings[i]) continue;
    const TellsApart tells = table[i].tells_apart;
    found.any_setting = true;
    found.beside_size |= tells != TellsApart::by_size;
    found.beside_stack |= tells != TellsApart::by_size && tells != TellsApart::by_stack;
    found.settings |= tells == TellsApart::always;
    found.named_settings += tells == TellsApart::where_named && !asked.settings[i].empty();
  }
  found.settings |= found.named_settings > 0;
}

void add_software(Difference& found, const RunTraits& asked, const RunTraits& run) {
  const bool named = !asked.stack.name.empty();
  found.format = asked.precision && run.precision && asked.precision != run.precision;
  found.precision = !runs_alike(asked.chip, run.precision, asked.precision);
  found.stack = stack_distance(asked, run);
  found.release = named && asked.stack.name != run.stack.name;
  found.code_base = found.release && asked.stack.code_base != run.stack.code_base;
  found.tables = found.release && asked.stack.tables != run.stack.tables;
  found.stack_in_use = run.stack.name != asked.stack_in_use;
  found.fusion = asked.fusion && run.fusion && asked.fusion != run.fusion;
  found.source = !asked.source.empty() && !run.source.starts_with(asked.source);
}

void add_size(Difference& found, const RunTraits& asked, const RunTraits& run) {
  found.doublings = std::log2(static_cast<double>(asked.accelerators) / run.accelerators);
  found.batch_ratio = asked.micro_batch / run.micro_batch;
  found.size_apart = doublings_apart(asked.accelerators, run.accelerators);
  found.batch_apart = std::abs(std::log2(found.batch_ratio));
  found.batch_each_apart = doublings_apart(asked.batch_each(), run.batch_each());
  found.larger = run.accelerators > asked.accelerators;
  found.accelerators = run.accelerators;
  found.fewer_accelerators = -run.accelerators;
  found.fewer_samples = -run.global_batch;
  found.split = asked.splits_model && !run.splits_model;
  found.to_target = asked.to_target != run.to_target;
}

}  // namespace

double doublings_apart(double asked, double other) {
  return asked > 0 && other > 0 ? std::abs(std::log2(asked / other)) : 0;
}

Difference difference(const RunTraits& asked, const RunTraits& run) {
  Difference found;
  found.workload = run.workload != asked.workload;
  found.computed = run.computed != asked.computed;
  found.version = found.workload && found.computed;
  found.tokens_apart = doublings_apart(asked.tokens, run.tokens);
  found.accelerator = run.chip.name != asked.chip.name;
  found.chip = !found.accelerator ? 0 : run.chip.same_speed(asked.chip) ? 1 : run.chip.sister_of(asked.chip) ? 2 : 3;
  found.machine = run.machine != asked.machine;
  add_software(found, asked, run);
  add_settings(found, asked, run);
  add_size(found, asked, run);
  return found;
}

}  // namespace mlsim::sim
