#include "calibrate/fit/law_search.hpp"
#include "calibrate/fit/soft_l1.hpp"
#include "costs/kernel_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlopt.hpp>

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

}  // namespace

KernelLaw::Constants fitted_constants(const KernelLaw& law, const std::vector<KernelLawSample>& samples,
                                      const std::vector<Seconds>& times, const Ceilings& ceilings) {
  return Search(law, samples, times, ceilings).best();
}

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

}  // namespace mlsim::calibrate
