#include "calibrate/profile/law_samples.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "costs/kernel_work.hpp"

namespace mlsim::calibrate {
namespace {

using Group = std::pair<Precision, int>;

void raise_compute(Ceilings& ceilings, Flop flop, Seconds time) {
  ceilings.compute = max(ceilings.compute, flop / time);
}

void raise_memory(Ceilings& ceilings, Bytes bytes, Seconds time) {
  ceilings.memory = max(ceilings.memory, bytes / time);
}

Ceilings ceilings_of(const LawGroup& group, const std::vector<ProbeSample>& probes, int units) {
  Ceilings ceilings;
  ceilings.units = units;
  for (const auto& probe : probes) {
    if (probe.threads != group.threads || probe.name.precision != group.precision) continue;
    if (probe.name.kind == "gemm") raise_compute(ceilings, probe.flop, probe.time.median);
    if (probe.name.kind == "copy") raise_memory(ceilings, probe.bytes, probe.time.median);
  }
  for (const auto& sample : group.samples) {
    raise_compute(ceilings, sample.work.flop, sample.time.median);
    raise_memory(ceilings, sample.work.bytes, sample.time.median);
  }
  // A group without a product has no rate of products; any rate serves laws of kernels without FLOP.
  if (!(ceilings.compute > FlopPerSecond(0))) ceilings.compute = FlopPerSecond(1);
  return ceilings;
}

}  // namespace

std::vector<LawGroup> law_groups(const Profile& profile, int units) {
  std::map<Group, std::vector<const KernelSample*>> kernels;
  for (const auto& kernel : profile.kernels)
    if (!is_reference(kernel.implementation)) kernels[{kernel.key.precision, kernel.threads}].push_back(&kernel);
  std::vector<LawGroup> groups;
  for (const auto& [key, samples] : kernels) {
    const bool any_cold =
        std::any_of(samples.begin(), samples.end(), [](const auto* s) { return s->cache == Cache::cold; });
    const Cache state = any_cold ? Cache::cold : Cache::hot;
    LawGroup group{key.first, key.second, {}, {}};
    for (const KernelSample* sample : samples) {
      if (sample->cache == state) group.samples.push_back({kernel_work(sample->key), sample->time, sample->threads});
    }
    group.ceilings = ceilings_of(group, profile.probes, units);
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<KernelLaw> fit_laws(Profile& profile, int units) {
  constexpr double kMostMissed = 1;  // a law that is off by a factor of two and more foretells nothing
  std::vector<KernelLaw> refused;
  profile.laws.clear();
  for (const auto& group : law_groups(profile, units)) {
    auto laws = fit_kernel_laws(group.samples, group.ceilings);
    for (auto& law : laws) {
      if (!profile.kernels.empty() && law.source.date.empty()) law.source.date = profile.kernels.front().source.date;
      (law.held_back.median > kMostMissed ? refused : profile.laws).push_back(std::move(law));
    }
  }
  return refused;
}

}  // namespace mlsim::calibrate
