#include "calibrate/profile/measured_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "calibrate/fit/rank_scaling_fit.hpp"
#include "calibrate/import/import_file.hpp"
#include "calibrate/profile/imported_collectives.hpp"
#include "core/text/errors.hpp"
#include "costs/kernel_work.hpp"

namespace mlsim::calibrate {
namespace {

constexpr std::string_view kKernel = "kernel ", kProbe = "probe ";

auto order_of(const KernelSample& sample) { return std::tuple(sample.key, sample.threads, sample.cache); }
auto order_of(const ProbeSample& sample) { return std::tuple(to_text(sample.name), sample.threads); }

// Merges two lists that ascend by their keys; of two entries with one key the newer stays.
template <class Sample>
void replace(std::vector<Sample>& samples, const std::vector<Sample>& newer) {
  std::vector<Sample> merged = newer;
  for (const auto& old : samples) {
    const bool replaced =
        std::any_of(newer.begin(), newer.end(), [&](const Sample& each) { return order_of(each) == order_of(old); });
    if (!replaced) merged.push_back(old);
  }
  std::sort(merged.begin(), merged.end(), [](const Sample& a, const Sample& b) { return order_of(a) < order_of(b); });
  samples = std::move(merged);
}

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

Source measured_source(const MeasuredOn& on) {
  return {Provenance::measured, fmt::format("mlsim calibrate, on {} ({})", on.host, on.processor), on.date};
}

Profile measured_profile(const std::vector<MeasureReply>& replies, const MeasuredOn& on) {
  Profile profile;
  profile.accelerator = on.accelerator;
  profile.machine = fmt::format("{} ({})", on.host, on.processor);
  profile.environment = on.environment;
  const Source source = measured_source(on);
  std::vector<KernelSample> kernels;
  std::vector<ProbeSample> probes;
  for (const auto& reply : replies) {
    if (!reply.unavailable.empty()) continue;
    if (reply.subject.starts_with(kKernel))
      kernels.push_back({parse_kernel_key(reply.subject.substr(kKernel.size())), reply.threads, reply.cache, reply.time,
                         source, reply.implementation});
    if (reply.subject.starts_with(kProbe))
      probes.push_back({parse_probe_name(reply.subject.substr(kProbe.size())), reply.threads, reply.time, reply.bytes,
                        reply.flop, source, reply.implementation});
  }
  replace(profile.kernels, kernels);
  replace(profile.probes, probes);
  return profile;
}

Profile merged_profile(Profile older, const Profile& newer, const std::string& file) {
  if (older.accelerator != newer.accelerator)
    throw InputError(file, fmt::format("is a profile of {}; what was measured here is {}; choose another --output",
                                       older.accelerator, newer.accelerator));
  older.machine = newer.machine;
  for (const auto& [key, value] : newer.environment) older.environment[key] = value;
  replace(older.kernels, newer.kernels);
  replace(older.probes, newer.probes);
  return older;
}

void add_sweeps(Profile& profile, const std::vector<CollectiveSweep>& sweeps, const CurveFit& fit) {
  for (const auto& sweep : merged_sweeps(sweeps)) {
    const auto found = std::find_if(profile.collectives.begin(), profile.collectives.end(),
                                    [&](const CollectiveCurve& curve) { return same_system(curve, sweep); });
    if (found == profile.collectives.end())
      profile.collectives.push_back(fit(sweep));
    else if (is_fitted(*found) && found->points.empty())
      *found = fit(sweep);
    else
      *found = fit(merged_sweeps({measured_part(*found), sweep}).front());
  }
  if (sweeps.empty()) return;
  std::vector<CollectiveCurve> measured = profile.collectives;  // a curve of a fit's tells nothing of other ranks
  std::erase_if(measured, is_fitted);
  profile.rank_scalings = fit_rank_scaling(measured);
}

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
