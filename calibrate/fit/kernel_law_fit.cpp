#include "calibrate/fit/kernel_law_fit.hpp"

#include <fmt/format.h>
#include <nlopt.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <utility>

#include "calibrate/fit/kernel_class.hpp"
#include "core/text/errors.hpp"
#include "costs/kernel_time.hpp"

namespace mlsim::calibrate {
namespace {

class Search {
 public:
  Search(const KernelLaw& law, const std::vector<KernelLawSample>& samples, const std::vector<Seconds>& times,
         const Ceilings& ceilings)
      : exponent_(law.exponent), ceilings_(ceilings) {
    double shortest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const KernelWork& work = samples[i].work;
      rows_.push_back({padded_flop(law, work), work.bytes, work.launches, times[i]});
      if (work.launches > 0) shortest = std::min(shortest, times[i].value / work.launches);
    }
    most_per_kernel_ = Seconds(std::isfinite(shortest) ? shortest : 0);
  }

  KernelLaw::Constants best() {
    // Rates are searched by their logs, down to a millionth of the ceiling; a launch's time by its share of the least.
    const double slowest = std::log(1e-6);
    constexpr double kTolerance = 1e-6;
    constexpr int kEvaluations = 400;
    nlopt::opt search(nlopt::LN_BOBYQA, 3);
    search.set_lower_bounds({slowest, slowest, 0});
    search.set_upper_bounds({0, 0, 1});
    search.set_min_objective(&Search::objective, this);
    search.set_initial_step({0.3, 0.3, 0.2});
    search.set_ftol_rel(kTolerance);
    search.set_maxeval(kEvaluations);
    std::vector<double> x{std::log(0.5), std::log(0.5), 0.5};
    try {
      search.optimize(x, loss_);
    } catch (const nlopt::roundoff_limited&) {  // x is the best so far
    }
    loss_ = misfit(constants(x));
    return constants(x);
  }

  double loss() const { return loss_; }

 private:
  struct Row {
    Flop flop;
    Bytes bytes;
    int launches;
    Seconds time;
  };

  static double objective(const std::vector<double>& x, std::vector<double>&, void* self) {
    const auto& search = *static_cast<const Search*>(self);
    // The pull is less than any sample says: only a rate on which none depends goes by it.
    constexpr double kPull = 1e-4;
    return search.misfit(search.constants(x)) + kPull * (x[0] * x[0] + x[1] * x[1]);
  }

  KernelLaw::Constants constants(const std::vector<double>& x) const {
    return {ceilings_.compute * std::exp(x[0]), ceilings_.memory * std::exp(x[1]), most_per_kernel_ * x[2]};
  }

  double misfit(const KernelLaw::Constants& constants) const {
    double sum = 0;
    for (const Row& row : rows_) {
      const Seconds time = padded_time(constants, exponent_, row.flop, row.bytes, row.launches);
      // A launch of no work and no time of its own has no log.
      sum += soft_l1(std::log(std::max(time / row.time, 1e-9)));
    }
    return sum;
  }

  double exponent_;
  const Ceilings& ceilings_;
  std::vector<Row> rows_;
  Seconds most_per_kernel_;
  double loss_ = 0;
};

std::vector<Seconds> medians(const std::vector<KernelLawSample>& samples) {
  std::vector<Seconds> times;
  for (const KernelLawSample& sample : samples) times.push_back(sample.time.median);
  return times;
}

// The criterion is n ln(loss / n) + ln n for every part of the shape beyond the plainest.
double criterion(const KernelLaw& law, double loss, std::size_t samples) {
  constexpr double kNoise = 0.003 / kLossScale;  // below 0.3 % there is nothing left to explain
  const auto n = static_cast<double>(samples);
  const int parts = (law.exponent != 1) + (law.tile_m != 1) + (law.tile_n != 1) + (law.units != 1);
  return n * std::log(std::max(loss / n, kNoise * kNoise)) + parts * std::log(n);
}

// The plainest shapes come first.
std::vector<KernelLaw> shapes(const KernelLaw& law, bool products, int units) {
  static const std::vector<int> sizes{1, 8, 16, 32, 64, 128, 256}, none{1};
  const std::vector<int>& tiles = products ? sizes : none;
  std::vector<KernelLaw> all;
  for (const int waves : products&& units > 1 ? std::vector{1, units} : none)
    for (const int m : tiles)
      for (const int n : tiles)
        for (const double exponent : {1.0, 1.5, 2.0, 3.0, 4.0, 8.0}) {
          KernelLaw& shape = all.emplace_back(law);
          shape.units = waves;
          shape.tile_m = m;
          shape.tile_n = n;
          shape.exponent = exponent;
        }
  return all;
}

// Finds constants for samples whose law has its exponent, tiles and units: soft-L1 loss of the log of time, scale 0.1,
// within the ceilings. Constants that the samples do not settle (a compute rate of kernels without FLOP) lie at their
// ceilings. `times[i]` is of `samples[i]`.
KernelLaw::Constants fitted_constants(const KernelLaw& law, const std::vector<KernelLawSample>& samples,
                                      const std::vector<Seconds>& times, const Ceilings& ceilings) {
  return Search(law, samples, times, ceilings).best();
}

// Gives `law` the exponent, tiles, units and constants of the least n ln(loss / n) + ln n for every part of the shape
// that is not the plainest: tiles of 1 to 256 and the ceilings' units where a sample is a matrix product, exponents
// from 1 (the sum) to 8 (nearly the larger). That takes up to 588 searches of three constants.
KernelLaw fitted_law(const KernelLaw& law, const std::vector<KernelLawSample>& samples, const Ceilings& ceilings) {
  const std::vector<Seconds> times = medians(samples);
  const bool products = std::any_of(samples.begin(), samples.end(), [](const auto& s) { return s.work.gemm.m > 0; });
  KernelLaw best;
  double least = std::numeric_limits<double>::infinity();
  for (KernelLaw& shape : shapes(law, products, ceilings.units)) {
    Search search(shape, samples, times, ceilings);
    shape.constants = search.best();
    const double score = criterion(shape, search.loss(), samples.size());
    if (score >= least) continue;
    least = score;
    best = std::move(shape);
  }
  return best;
}

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
