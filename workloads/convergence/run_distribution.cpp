#include "workloads/convergence/run_distribution.hpp"

#include <fmt/format.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "core/text/errors.hpp"

namespace mlsim::workloads {
namespace {

constexpr double kFinest = 1e-6;  // step of the law, where there is no grid

// Epochs are lognormal with the law as their mean, snapped to evaluations.
double run_epochs(const ConvergenceTable& table, const Recipe& recipe, double law, double batch, double share) {
  if (recipe.exact) return law;
  const double s = table.run_spread;
  const double free = law * std::exp(s * normal_quantile(share) - s * s / 2);
  if (recipe.evaluations.interval(batch, recipe.samples_per_epoch) == 0)
    return law * kFinest * std::round(free / (law * kFinest));
  return recipe.evaluations.nearest(free, law, batch, recipe.samples_per_epoch);
}

}  // namespace

double normal_quantile(double share) {
  if (!(share > 0 && share < 1)) throw InputError(fmt::format("a share of runs lies between 0 and 1, not {}", share));
  return boost::math::quantile(boost::math::normal(), share);
}

double epochs_quantile(const ConvergenceTable& table, const Recipe& recipe, double global_batch, double share,
                       int accelerators) {
  const double law = samples_to_target(table, recipe, global_batch, accelerators).epochs;
  return run_epochs(table, recipe, law, global_batch, share);
}

}  // namespace mlsim::workloads
