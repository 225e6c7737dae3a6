#include "sim/evidence/speed_prior.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mlsim::sim {
namespace {

constexpr double kShrunk = 3;  // runs; assumed: one run alone moves its level by a quarter. Not tuned
constexpr int kRounds = 30;    // bound of effort

struct Sample {
  std::array<std::size_t, kSpeedTraits> levels;
  double rest = 0;  // what the effects leave
};

}  // namespace

SpeedTraits speed_traits(const RunTraits& run) {
  const Precision precision = run.precision.value_or(Precision::fp32);
  const bool narrow = precision == Precision::fp16 || precision == Precision::bf16;
  return {fmt::format("{} {}", run.chip.kind, narrow ? "16 bit" : name(precision)), std::string(name(run.sort)),
          run.network, run.stack.code_base};
}

SpeedPrior::SpeedPrior(const Evidence& evidence, SpeedPopulation population) {
  std::array<std::map<std::string, std::size_t>, kSpeedTraits> numbers;
  std::vector<Sample> samples;
  for (const Evidence::KernelSpeed& each : evidence.kernel_speeds()) {
    if (each.names.population() != population) continue;
    const auto levels = speed_traits(each.names).levels();
    Sample sample;
    for (std::size_t t = 0; t < levels.size(); ++t)
      sample.levels[t] = numbers[t].emplace(levels[t], numbers[t].size()).first->second;
    sample.rest = std::log(each.speed);
    samples.push_back(sample);
  }
  runs_ = samples.size();
  if (runs_ == 0) return;
  for (const Sample& sample : samples) mean_ += sample.rest / double(runs_);
  for (Sample& sample : samples) sample.rest -= mean_;
  std::array<std::vector<double>, kSpeedTraits> effects;
  for (std::size_t t = 0; t < effects.size(); ++t) effects[t].assign(numbers[t].size(), 0);
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t t = 0; t < effects.size(); ++t) {
      std::vector<double> sum(effects[t].size()), count(effects[t].size());
      for (const Sample& sample : samples) {
        sum[sample.levels[t]] += sample.rest;
        count[sample.levels[t]] += 1;
      }
      for (std::size_t level = 0; level < sum.size(); ++level) {
        const double whole = sum[level] + count[level] * effects[t][level];
        sum[level] = whole / (count[level] + kShrunk) - effects[t][level];
      }
      for (std::size_t level = 0; level < sum.size(); ++level) effects[t][level] += sum[level];
      for (Sample& sample : samples) sample.rest -= sum[sample.levels[t]];
    }
  }
  for (std::size_t t = 0; t < numbers.size(); ++t)
    for (const auto& [level, number] : numbers[t]) effects_[t].emplace(level, effects[t][number]);
}

double SpeedPrior::effect(std::size_t trait, const std::string& level) const {
  const auto found = effects_[trait].find(level);
  return found == effects_[trait].end() ? 0 : found->second;
}

double SpeedPrior::speed(const SpeedTraits& traits) const {
  const auto levels = traits.levels();
  double log_speed = mean_;
  for (std::size_t t = 0; t < levels.size(); ++t)
    if (!levels[t].empty()) log_speed += effect(t, levels[t]);
  return std::exp(log_speed);
}

double SpeedPrior::software_ratio(const SpeedTraits& asked, const SpeedTraits& run) const {
  return std::exp(effect(3, asked.software) - effect(3, run.software));
}

}  // namespace mlsim::sim
