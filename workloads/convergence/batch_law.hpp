// A BatchLaw is the law E = Emin (1 + (B/Bcrit)^p) of epochs against global batch; p = 1 (McCandlish et al. 2018) is
// fitted to a table's points, other powers are given.
#pragma once

#include <vector>

#include "workloads/convergence/isotonic.hpp"

namespace mlsim::workloads {

struct BatchLaw {
  double lowest = 0;    // Emin, epochs
  double critical = 0;  // Bcrit, samples; infinity where epochs do not grow with the batch
  double exponent = 1;
  double operator()(double batch) const;
};

/// Returns the law of least soft-L1 misfit of the logarithms, each point once whatever its weight. Needs a point.
BatchLaw fitted_batch_law(const std::vector<WeightedPoint>& points);

}  // namespace mlsim::workloads
