#include "sim/evidence/speed_prior.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace mlsim::sim {
namespace {

constexpr double kShrunk = 3;  // runs; assumed: one run alone moves its level by a quarter. Not tuned
constexpr int kRounds = 30;    // bound of effort

// The software and what is of a network stand at these places in SpeedTraits::levels().
constexpr std::size_t kSoftware = 5;
constexpr std::array<std::size_t, 3> kOfNetwork{6, 7, 8};

using Effects = std::array<std::vector<double>, kSpeedTraits>;

struct Sample {
  std::array<std::size_t, kSpeedTraits> levels;
  double rest = 0;  // what the effects leave
};

// Takes the effects of one trait as what the others leave, and what is left then.
void fit(std::vector<double>& effects, std::size_t trait, std::vector<Sample>& samples) {
  std::vector<double> sum(effects.size()), count(effects.size());
  for (const Sample& sample : samples) {
    sum[sample.levels[trait]] += sample.rest;
    count[sample.levels[trait]] += 1;
  }
  for (std::size_t level = 0; level < sum.size(); ++level) {
    const double whole = sum[level] + count[level] * effects[level];
    sum[level] = whole / (count[level] + kShrunk) - effects[level];
    effects[level] += sum[level];
  }
  for (Sample& sample : samples) sample.rest -= sum[sample.levels[trait]];
}

// Adds up values by a key, for their means.
class Means {
 public:
  void add(const std::string& key, double value) {
    sums_[key].first += value;
    sums_[key].second += 1;
  }
  std::map<std::string, double> all() const {
    std::map<std::string, double> means;
    for (const auto& [key, sum] : sums_) means.emplace(key, sum.first / sum.second);
    return means;
  }

 private:
  std::map<std::string, std::pair<double, int>> sums_;
};

double found_or_0(const std::map<std::string, double>& effects, const std::string& level) {
  const auto found = effects.find(level);
  return found == effects.end() ? 0 : found->second;
}

// Gives the levels of any network of the family, and of any of the sort.
std::array<std::array<std::string, kSpeedTraits>, 2> relatives(const SpeedTraits& traits) {
  SpeedTraits family = traits, sort = traits;
  family.network = traits.family() + " family";
  sort.network = traits.sort + " sort";
  return {family.levels(), sort.levels()};
}

void add_usual(SpeedEffects& found, const std::vector<SpeedTraits>& runs) {
  Means software, network;
  for (const SpeedTraits& run : runs) {
    const auto levels = run.levels();
    software.add(run.network, found_or_0(found.of_trait[kSoftware], run.software));
    for (const auto& relative : relatives(run))
      for (const std::size_t t : kOfNetwork) network.add(relative[t], found_or_0(found.of_trait[t], levels[t]));
  }
  found.usual_software = software.all();
  found.usual_network = network.all();
}

}  // namespace

SpeedTraits speed_traits(const RunTraits& run) {
  const Precision precision = run.precision.value_or(Precision::fp32);
  const bool narrow = precision == Precision::fp16 || precision == Precision::bf16;
  const std::string format(narrow ? "16 bit" : name(precision));
  return {run.chip.kind + " " + format, std::string(name(run.sort)), run.network, run.stack.code_base, format};
}

std::string SpeedTraits::family() const {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return {network.begin(), std::find_if_not(network.begin(), network.end(), is_letter)};
}

std::array<std::string, kSpeedTraits> SpeedTraits::levels() const {
  return {chip,
          sort,
          sort + " " + format,
          family(),
          family() + " " + format,
          software,
          network,
          chip + " " + network,
          network + " " + format};
}

SpeedEffects fit_speeds(const Evidence& evidence, SpeedPopulation population) {
  SpeedEffects found;
  std::array<std::map<std::string, std::size_t>, kSpeedTraits> numbers;
  std::vector<SpeedTraits> runs;
  std::vector<Sample> samples;
  for (const Evidence::KernelSpeed& each : evidence.kernel_speeds()) {
    if (each.names.population() != population || is_language_model(each.names.sort)) continue;
    runs.push_back(speed_traits(each.names));
    const auto levels = runs.back().levels();
    Sample sample;
    for (std::size_t t = 0; t < levels.size(); ++t)
      sample.levels[t] = numbers[t].emplace(levels[t], numbers[t].size()).first->second;
    sample.rest = std::log(each.speed);
    samples.push_back(sample);
  }
  found.runs = samples.size();
  if (samples.empty()) return found;
  for (const Sample& sample : samples) found.mean += sample.rest / double(found.runs);
  for (Sample& sample : samples) sample.rest -= found.mean;
  Effects effects;
  for (std::size_t t = 0; t < effects.size(); ++t) effects[t].assign(numbers[t].size(), 0);
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t t = 0; t < effects.size(); ++t) fit(effects[t], t, samples);
  for (std::size_t t = 0; t < numbers.size(); ++t)
    for (const auto& [level, number] : numbers[t]) found.of_trait[t].emplace(level, effects[t][number]);
  add_usual(found, runs);
  return found;
}

double SpeedPrior::speed(const SpeedTraits& traits) const {
  const auto levels = traits.levels();
  const auto known = [&](std::size_t trait) { return effects_.of_trait[trait].contains(levels[trait]); };
  double log_speed = effects_.mean;
  for (std::size_t t = 0; t < levels.size(); ++t)
    if (!levels[t].empty()) log_speed += found_or_0(effects_.of_trait[t], levels[t]);
  if (traits.software.empty()) log_speed += found_or_0(effects_.usual_software, traits.network);
  const auto [family, sort] = relatives(traits);
  for (const std::size_t t : kOfNetwork)
    if (!known(t))
      log_speed += found_or_0(effects_.usual_network, effects_.usual_network.contains(family[t]) ? family[t] : sort[t]);
  return std::exp(log_speed);
}

double SpeedPrior::software_ratio(const SpeedTraits& asked, const SpeedTraits& run) const {
  const auto& software = effects_.of_trait[kSoftware];
  return std::exp(found_or_0(software, asked.software) - found_or_0(software, run.software));
}

}  // namespace mlsim::sim
