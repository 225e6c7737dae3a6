#include "calibrate/fit/kernel_law_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <utility>

#include "calibrate/fit/fit_error.hpp"
#include "calibrate/fit/kernel_class.hpp"
#include "calibrate/fit/law_search.hpp"
#include "calibrate/fit/positive.hpp"
#include "core/text/errors.hpp"
#include "costs/kernel_time.hpp"

namespace mlsim::calibrate {
namespace {

constexpr std::size_t kFewestKernels = 4;  // samples of a law: it has three constants

void check(const std::vector<KernelLawSample>& samples, const Ceilings& ceilings) {
  if (!is_positive(ceilings.compute.value) || !is_positive(ceilings.memory.value) || ceilings.units < 1)
    throw InputError(fmt::format("ceilings of {} FLOP/s, {} B/s and {} units bound no kernel", ceilings.compute.value,
                                 ceilings.memory.value, ceilings.units));
  for (const KernelLawSample& sample : samples) {
    const KernelWork& work = sample.work;
    const std::string kernel = to_text(work.key);
    if (!is_positive(sample.time.median.value))
      throw InputError(kernel, fmt::format("a time of {} s", sample.time.median.value));
    const auto counts = {work.flop.value, work.bytes.value, work.gemm.m, work.gemm.n, work.gemm.k, work.products};
    if (std::any_of(counts.begin(), counts.end(), [](double x) { return !std::isfinite(x) || x < 0; }) ||
        work.launches < 0 || work.flop.value + work.bytes.value <= 0)
      throw InputError(kernel, "its work is not a count above 0");
  }
}

FitError error(const KernelLaw& law, const std::vector<KernelLawSample>& samples) {
  std::vector<double> errors;
  for (const KernelLawSample& sample : samples)
    errors.push_back(relative_error(kernel_time(law, sample.work), sample.time.median));
  return fit_error(std::move(errors));
}

// Returns the errors of the samples with most work by a law fitted to the others.
FitError held_back_error(const KernelLaw& law, std::vector<KernelLawSample> samples, const Ceilings& ceilings,
                         double share) {
  const auto held = static_cast<std::size_t>(std::ceil(std::max(0.0, share) * static_cast<double>(samples.size())));
  if (held == 0 || samples.size() < kFewestKernels + held) return {};
  const auto work = [&](const KernelLawSample& sample) {
    return max(sample.work.flop / ceilings.compute, sample.work.bytes / ceilings.memory);
  };
  std::stable_sort(samples.begin(), samples.end(), [&](const auto& a, const auto& b) { return work(a) < work(b); });
  const auto cut = samples.end() - static_cast<std::ptrdiff_t>(held);
  KernelLaw unfitted;
  unfitted.ops = law.ops;
  return error(fitted_law(unfitted, {samples.begin(), cut}, ceilings), {cut, samples.end()});
}

// Replicas are constants that other measurements would have given: each sample's time is as the law has it, with the
// deviation of one drawn from all.
std::vector<KernelLaw::Constants> replicas(const KernelLaw& law, const std::vector<KernelLawSample>& samples,
                                           const Ceilings& ceilings, const FitOptions& options) {
  constexpr double kSpent = 3;  // constants of the law
  const auto n = static_cast<double>(samples.size());
  const double larger = std::sqrt(n / std::max(1.0, n - kSpent));
  std::vector<double> deviations;
  for (const KernelLawSample& sample : samples)
    deviations.push_back(larger * std::log(sample.time.median / kernel_time(law, sample.work)));
  std::mt19937_64 random(options.seed);
  std::vector<KernelLaw::Constants> found;
  for (int i = 0; i < options.replicas; ++i) {
    std::vector<Seconds> times;
    for (const KernelLawSample& sample : samples)
      times.push_back(kernel_time(law, sample.work) * std::exp(deviations[random() % deviations.size()]));
    found.push_back(fitted_constants(law, samples, times, ceilings));
  }
  return found;
}

KernelLaw law_of(const std::vector<std::size_t>& classes, const std::vector<KernelLawSample>& samples,
                 const Ceilings& ceilings, const FitOptions& options) {
  KernelLaw law;
  std::string names;
  for (const std::size_t i : classes) {
    const KernelClass& kind = kernel_classes()[i];
    law.ops.insert(law.ops.end(), kind.ops.begin(), kind.ops.end());
    names += (names.empty() ? "" : ", ") + kind.name;
  }
  law.precision = samples.front().work.key.precision;
  law.threads = samples.front().threads;
  law = fitted_law(law, samples, ceilings);
  law.residual = error(law, samples);
  law.held_back = held_back_error(law, samples, ceilings, options.held_back);
  law.replicas = replicas(law, samples, ceilings, options);
  law.source = {Provenance::fitted, fmt::format("{} measured {}", samples.size(), names), ""};
  return law;
}

std::size_t class_of(KernelOp op) {
  const auto& classes = kernel_classes();
  const auto found = std::find_if(classes.begin(), classes.end(), [&](const KernelClass& kind) {
    return std::find(kind.ops.begin(), kind.ops.end(), op) != kind.ops.end();
  });
  return static_cast<std::size_t>(found - classes.begin());
}

}  // namespace

std::vector<KernelLaw> fit_kernel_laws(const std::vector<KernelLawSample>& samples, const Ceilings& ceilings,
                                       const FitOptions& options) {
  check(samples, ceilings);
  using ByClass = std::vector<std::vector<KernelLawSample>>;
  std::map<std::pair<Precision, int>, ByClass> machines;
  for (const KernelLawSample& sample : samples) {
    ByClass& classes = machines[{sample.work.key.precision, sample.threads}];
    classes.resize(kernel_classes().size());
    classes[class_of(sample.work.key.op)].push_back(sample);
  }
  std::vector<KernelLaw> laws;
  for (const auto& [machine, classes] : machines) {
    std::vector<std::size_t> counts;
    for (const auto& of_class : classes) counts.push_back(of_class.size());
    for (const auto& group : grouped_classes(counts, kFewestKernels)) {
      std::vector<KernelLawSample> together;
      for (const std::size_t i : group) together.insert(together.end(), classes[i].begin(), classes[i].end());
      laws.push_back(law_of(group, together, ceilings, options));
    }
  }
  return laws;
}

}  // namespace mlsim::calibrate
