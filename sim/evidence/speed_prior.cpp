#include "sim/evidence/speed_prior.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "sim/evidence/anchor_traits.hpp"
#include "workloads/model/model.hpp"
#include "workloads/model/network_name.hpp"

namespace mlsim::sim {
namespace {

constexpr double kShrunk = 3;  // runs; assumed: one run alone moves its level by a quarter. Not tuned
constexpr int kRounds = 30;    // bound of effort

// Networks whose kernels are of one sort, finer than ModelFamily: what is convolutional on boxes or sound runs at other
// speeds than on images. By name: a model need not be read for it.
std::string sort_of(const std::string& network) {
  struct Sort {
    const char* name;
    std::initializer_list<const char*> starts;
  };
  static const Sort sorts[] = {{"transformer", {"bert", "bart", "gpt", "llama", "mixtral", "transformer", "gshard"}},
                               {"recurrent", {"gnmt", "awd-lstm"}},
                               {"recommender", {"ncf", "dlrm"}},
                               {"detection", {"mask-rcnn", "ssd", "retinanet"}},
                               {"speech", {"jasper"}}};
  for (const Sort& sort : sorts)
    for (const char* start : sort.starts)
      if (network.starts_with(start)) return sort.name;
  return "image";
}

bool is_tpu(const std::string& accelerator) { return accelerator.starts_with("tpu"); }

struct Sample {
  std::array<std::size_t, kSpeedTraits> levels;
  double rest = 0;  // what the effects leave
};

}  // namespace

SpeedTraits speed_traits(const std::string& accelerator, Precision precision, const std::string& workload,
                         const std::string& stack) {
  const std::string network(network_name(workload)), software = code_base(stack);
  const bool narrow = precision == Precision::fp16 || precision == Precision::bf16;
  return {fmt::format("{} {}", accelerator.substr(0, accelerator.find('-')), narrow ? "16 bit" : name(precision)),
          sort_of(network), network, software};
}

SpeedPrior::SpeedPrior(const std::vector<ParsedAnchor>& anchors, const std::string& accelerator) {
  std::array<std::map<std::string, std::size_t>, kSpeedTraits> numbers;
  std::vector<Sample> samples;
  for (const ParsedAnchor& anchor : anchors) {
    if (!anchor.kernel_speed || anchor.workload.empty()) continue;
    const std::string its = accelerator_name(anchor.topology);
    if (is_tpu(its) != is_tpu(accelerator)) continue;
    const auto levels = speed_traits(its, anchor.precision, anchor.workload, anchor.options.software.stack).levels();
    Sample sample;
    for (std::size_t t = 0; t < levels.size(); ++t)
      sample.levels[t] = numbers[t].emplace(levels[t], numbers[t].size()).first->second;
    sample.rest = std::log(*anchor.kernel_speed);
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

const SpeedPrior& speed_prior(const SharedList<ParsedAnchor>& anchors, const std::string& accelerator) {
  struct Fitted {
    SharedList<ParsedAnchor> anchors;
    std::optional<SpeedPrior> tpu, other;
  };
  thread_local Fitted latest;
  if (!latest.anchors.is(anchors)) latest = {anchors, {}, {}};
  auto& prior = is_tpu(accelerator) ? latest.tpu : latest.other;
  if (!prior) prior.emplace(anchors, accelerator);
  return *prior;
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
