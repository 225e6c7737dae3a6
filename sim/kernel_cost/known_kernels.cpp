#include "sim/kernel_cost/known_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/quantile.hpp"
#include "core/text/units_text.hpp"
#include "costs/kernel_time.hpp"

namespace mlsim::sim {
namespace {

constexpr double kQuartiles = 1.349;  // standard deviations between the quartiles of a normal distribution

// Computes the standard deviation of log times around their mean.
double standard_deviation(const std::vector<double>& logs) {
  double sum = 0, squares = 0;
  for (const double each : logs) sum += each;
  const double mean = sum / static_cast<double>(logs.size());
  for (const double each : logs) squares += (each - mean) * (each - mean);
  return std::sqrt(squares / static_cast<double>(logs.size()));
}

// Reads what calibration wrote down of a processor.
Bytes last_level_cache(const Profile& profile) {
  const auto found = profile.environment.find("last_level_cache");
  return found == profile.environment.end() ? Bytes(0) : parse_quantity<Bytes>(found->second);
}

}  // namespace

double log_spread(const SampleStatistics& time) {
  return std::log(time.upper_quartile / time.lower_quartile) / kQuartiles;
}

double log_spread(const KernelLaw& law, const KernelWork& work) {
  const FitError& error = law.held_back.count > 0 ? law.held_back : law.residual;
  const double missed = std::log1p(error.p90) / kNormal95;
  if (law.replicas.empty()) return missed;
  std::vector<double> logs;
  for (const auto& constants : law.replicas) {
    const Seconds time = kernel_time(law, constants, work);
    if (time.value <= 0) return missed;  // says nothing of its logarithm
    logs.push_back(std::log(time.value));
  }
  return std::max(missed, standard_deviation(logs));
}

void KnownKernels::add(const Profile& profile) {
  if (empty()) last_level_ = last_level_cache(profile);
  std::map<KernelKey, std::map<Cache, KernelSample>> samples;
  for (const KernelSample& sample : profile.kernels) {
    const auto [known, fresh] = samples[sample.key].try_emplace(sample.cache, sample);
    if (!fresh && sample.threads > known->second.threads) known->second = sample;  // a step runs with all threads
  }
  std::map<std::pair<KernelOp, Precision>, KernelLaw> laws;
  for (const KernelLaw& law : profile.laws) {
    for (const KernelOp op : law.ops) {
      const auto [known, fresh] = laws.try_emplace({op, law.precision}, law);
      if (!fresh && law.threads > known->second.threads) known->second = law;
    }
  }
  if (!sample_source_ && !profile.kernels.empty()) sample_source_ = profile.kernels.front().source;
  if (!law_source_ && !profile.laws.empty()) law_source_ = profile.laws.front().source;
  samples_.merge(samples);
  laws_.merge(laws);
}

void KnownKernels::set_caches(Cache state, std::set<KernelKey> batch_readers) {
  caches_ = state;
  batch_readers_ = std::move(batch_readers);
}

const KernelSample* KnownKernels::sample(const KernelKey& key) const {
  const auto found = samples_.find(key);
  if (found == samples_.end()) return nullptr;
  const auto& states = found->second;
  const bool fresh = caches_ == Cache::hot && batch_readers_.contains(key);
  for (const Cache state : {fresh ? Cache::fresh : caches_, fresh ? Cache::hot : Cache::cold}) {
    if (const auto timed = states.find(state); timed != states.end()) return &timed->second;
  }
  return &states.begin()->second;
}

std::optional<KnownKernels::Time> KnownKernels::time(const KernelWork& work) const {
  if (const KernelSample* timed = sample(work.key))
    return Time{timed->time.median, CostBasis::measured, log_spread(timed->time)};
  const auto law = laws_.find({work.key.op, work.key.precision});
  if (law == laws_.end()) return std::nullopt;
  return Time{kernel_time(law->second, work), CostBasis::law, log_spread(law->second, work)};
}

Source KnownKernels::source(CostBasis basis) const {
  return basis == CostBasis::measured ? sample_source_.value() : law_source_.value();
}

}  // namespace mlsim::sim
